"""Everything that a schema may say of a request and an answer."""

from treadle import http

ITEM = {
    "type": "object", "required": ["sku", "count"], "additionalProperties": False,
    "properties": {"sku": {"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}, "count": {"type": "integer", "minimum": 1, "maximum": 99}},
}
BODY = {
    "type": "object", "required": ["customer", "items"],
    "properties": {
        "customer": {"type": "string", "format": "email"}, "note": {"type": ["string", "null"], "maxLength": 5},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "minItems": 1, "maxItems": 3, "uniqueItems": True},
        "kind": {"enum": ["now", "later"]}, "pay": {"oneOf": [{"type": "object", "required": ["card"]}, {"const": "cash"}]},
        "rate": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}, "tags": {"contains": {"const": "a"}},
        "more": {"propertyNames": {"minLength": 2}, "minProperties": 1}, "when": {"format": "date-time"},
    },
    "if": {"properties": {"kind": {"const": "later"}}, "required": ["kind"]}, "then": {"required": ["when"]}, "dependentRequired": {"rate": ["pay"]},
    "$defs": {"item": ITEM},
}
QUERY = {
    "type": "object",
    "properties": {"dry": {"type": "boolean"}, "page": {"type": "integer", "minimum": 1}, "tag": {"type": "array", "items": {"type": "string"}}},
}

config = {
    "name": "Orders",
    "triggers": [http(
        "POST", "/orders/:id", body_schema=BODY, query_schema=QUERY, headers_schema={"required": ["X-Shop"]},
        response_schema={200: {"type": "object", "required": ["id"]}}, condition=lambda input: input.headers["x-shop"] != "closed",
    )],
}


def handler(input, ctx):
    if input.query.get("dry"):
        return {"status": 200, "body": {}}
    return {"status": 200, "body": {"id": input.path_params["id"], "query": input.query, "count": sum(item["count"] for item in input.body["items"])}}
