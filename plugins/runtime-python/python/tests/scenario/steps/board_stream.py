config = {"name": "board", "schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}}
