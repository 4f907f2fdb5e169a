"""The messages and methods of the URLFrontier interface, as classes of protobuf.

The interface is that of https://github.com/crawler-commons/url-frontier.  It is written down here
as a table of fields, so that nothing needs to be compiled: `TYPE name number`, with `*` for a
repeated field, `?` for an optional one and `|` for one of several.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "urlfrontier"
SERVICE = f"{PACKAGE}.URLFrontier"
STATUS = ("OK", "SKIPPED", "FAIL")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
FIELDS = {
    "Empty": "",
    "AnyCrawlID": "",
    "Local": "bool local 1",
    "Active": "bool state 1, bool local 2",
    "Boolean": "bool state 1",
    "Long": "uint64 value 1",
    "StringList": "*string values 1",
    "DeleteCrawlMessage": "string value 1, bool local 2",
    "Pagination": "uint32 start 1, uint32 size 2, bool include_inactive 3, string crawlID 4,"
    " bool local 5",
    "QueueList": "*string values 1, uint64 total 2, uint32 start 3, uint32 size 4,"
    " string crawlID 5",
    "QueueWithinCrawlParams": "string key 1, string crawlID 2, bool local 3",
    "QueueDelayParams": "string key 1, uint32 delay_requestable 2, string crawlID 3, bool local 4",
    "BlockQueueParams": "string key 1, uint64 time 2, string crawlID 3, bool local 4",
    "CrawlLimitParams": "string key 1, uint32 limit 2, string crawlID 3, bool local 4",
    "GetParams": "uint32 max_urls_per_queue 1, uint32 max_queues 2, string key 3,"
    " uint32 delay_requestable 4, |AnyCrawlID anyCrawlID 5, |string crawlID 6",
    "Stats": "uint64 size 1, uint32 inProcess 2, *CountsEntry counts 3, uint64 numberOfQueues 4,"
    " string crawlID 5",
    "URLInfo": "string url 1, string key 2, *MetadataEntry metadata 3, string crawlID 4",
    "DiscoveredURLItem": "URLInfo info 1",
    "KnownURLItem": "URLInfo info 1, uint64 refetchable_from_date 2",
    "URLItem": "|DiscoveredURLItem discovered 1, |KnownURLItem known 2, string ID 3,"
    " uint64 creation_date 4",
    "AckMessage": "string ID 1, Status status 2",
    "DiscoveredBatch": "string ID 1, *URLInfo items 2",
    "BatchAck": "string ID 1, *AckMessage.Status statuses 2",
    "LogLevelParams": "string package 1, Level level 2, bool local 3",
    "URLStatusRequest": "string url 1, string key 2, string crawlID 3",
    "ListUrlParams": "uint32 start 1, uint32 size 2, string key 3, string crawlID 4, bool local 5,"
    " ?string filter 6, ?bool ignoreCase 7",
    "CountUrlParams": "string key 1, string crawlID 2, ?string filter 3, ?bool ignoreCase 4,"
    " ?bool local 5",
    "PurgeUrlParams": "string key 1, string crawlID 2, uint32 days 3",
}
MAPS = {"Stats": ("CountsEntry", "uint64"), "URLInfo": ("MetadataEntry", "StringList")}
"""The messages with a map from strings, as an entry and the type of its values."""
ENUMS = {"AckMessage": ("Status", STATUS), "LogLevelParams": ("Level", LEVELS)}


class Method(NamedTuple):
    """A method: the names of its messages, and whether they are streams."""

    takes: str
    gives: str
    takes_many: bool = False
    gives_many: bool = False


METHODS = {
    "ListNodes": Method("Empty", "StringList"),
    "ListCrawls": Method("Local", "StringList"),
    "DeleteCrawl": Method("DeleteCrawlMessage", "Long"),
    "ListQueues": Method("Pagination", "QueueList"),
    "GetURLs": Method("GetParams", "URLInfo", gives_many=True),
    "PutURLs": Method("URLItem", "AckMessage", takes_many=True, gives_many=True),
    "PutDiscovered": Method("DiscoveredBatch", "BatchAck", takes_many=True, gives_many=True),
    "GetStats": Method("QueueWithinCrawlParams", "Stats"),
    "DeleteQueue": Method("QueueWithinCrawlParams", "Long"),
    "BlockQueueUntil": Method("BlockQueueParams", "Empty"),
    "SetActive": Method("Active", "Empty"),
    "GetActive": Method("Local", "Boolean"),
    "SetDelay": Method("QueueDelayParams", "Empty"),
    "SetLogLevel": Method("LogLevelParams", "Empty"),
    "SetCrawlLimit": Method("CrawlLimitParams", "Empty"),
    "GetURLStatus": Method("URLStatusRequest", "URLItem"),
    "ListURLs": Method("ListUrlParams", "URLItem", gives_many=True),
    "CountURLs": Method("CountUrlParams", "Long"),
    "PurgeURLs": Method("PurgeUrlParams", "Long"),
}
PLAIN = {
    "bool": descriptor_pb2.FieldDescriptorProto.TYPE_BOOL,
    "string": descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
    "uint32": descriptor_pb2.FieldDescriptorProto.TYPE_UINT32,
    "uint64": descriptor_pb2.FieldDescriptorProto.TYPE_UINT64,
}


def described() -> descriptor_pb2.FileDescriptorProto:
    """Return the table above as a description of protobuf's."""
    file = descriptor_pb2.FileDescriptorProto(
        name="urlfrontier.proto", package=PACKAGE, syntax="proto3"
    )
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        if name in ENUMS:
            enum, values = ENUMS[name]
            kind = message.enum_type.add(name=enum)
            for number, value in enumerate(values):
                kind.value.add(name=value, number=number)
        if name in MAPS:
            entry, value_type = MAPS[name]
            pair = message.nested_type.add(name=entry)
            pair.options.map_entry = True
            add_field(pair, "string key 1", name)
            add_field(pair, f"{value_type} value 2", name)
        if "|" in fields:
            message.oneof_decl.add(name="item")
        for field in filter(None, fields.split(", ")):
            add_field(message, field, name)
        for field_proto in message.field:
            if field_proto.proto3_optional:
                field_proto.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field_proto.name}")
    return file


def add_field(message: descriptor_pb2.DescriptorProto, text: str, within: str) -> None:
    """Add a field as the table writes it."""
    kind, name, number = text.split()
    mark, kind = (kind[0], kind[1:]) if kind[0] in "*?|" else ("", kind)
    field = message.field.add(name=name, number=int(number))
    field.label = field.LABEL_REPEATED if mark == "*" else field.LABEL_OPTIONAL
    if mark == "|":
        field.oneof_index = 0
    field.proto3_optional = mark == "?"
    if kind in PLAIN:
        field.type = PLAIN[kind]
        return
    nested = {entry for entry, _ in (*MAPS.values(), *ENUMS.values())}
    enums = {f"{owner}.{enum}" for owner, (enum, _) in ENUMS.items()}
    full = f"{within}.{kind}" if kind in nested else kind
    field.type = field.TYPE_ENUM if full in enums else field.TYPE_MESSAGE
    field.type_name = f".{PACKAGE}.{full}"


def classes() -> dict[str, Any]:
    """Return the class of every message, by its name."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described())
    find = pool.FindMessageTypeByName
    return {name: message_factory.GetMessageClass(find(f"{PACKAGE}.{name}")) for name in FIELDS}
