"""Sites, worlds and judges that several tests share."""
