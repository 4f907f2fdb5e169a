"""The strategy auto: learns which links lead to relevant pages."""
