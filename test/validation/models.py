"""Models of pydantic that judge otherwise than their JSON Schema does, and the values that they are asked about."""

from datetime import datetime
from typing import Annotated, Any, Literal, Optional, Union

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, field_validator, model_validator


class Person(BaseModel):
    name: str = Field(min_length=3)
    mail: str

    @field_validator("mail")
    @classmethod
    def is_address(cls, mail: str) -> str:
        if "@" not in mail:
            raise ValueError("not an address")
        return mail


class Aged(BaseModel):
    age: int
    sure: bool = True


class Aliased(BaseModel):
    name: str = Field(validation_alias=AliasChoices("name", "fullName"))


class Trimmed(BaseModel):
    word: Annotated[str, BeforeValidator(lambda given: given.strip() if isinstance(given, str) else given), Field(max_length=4)]


class Card(BaseModel):
    kind: Literal["card"]
    number: int


class Bank(BaseModel):
    kind: Literal["bank"]
    iban: str


class Paid(BaseModel):
    by: Union[Card, Bank]


class Tagged(BaseModel):
    by: Union[Card, Bank] = Field(discriminator="kind")


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    n: int
    note: Optional[str] = None
    at: Optional[datetime] = None


class Span(BaseModel):
    first: datetime
    last: datetime

    @model_validator(mode="after")
    def is_in_order(self) -> "Span":
        if str(self.last) < str(self.first):
            raise ValueError("ends before it begins")
        return self


class Called(BaseModel):
    phone: str = Field(pattern=r"(?i)^tel\:\d{3}\-\w+$")


class Tree(BaseModel):
    name: str
    children: "list[Tree]" = []


PEOPLE = [{"name": "Ada", "mail": "a@b"}, {"name": "Al", "mail": "a@b"}, {"name": "Ada", "mail": "x"}, {"name": "A", "mail": "x"}, {}, {"name": 7}, [], "Ada", None]
AGES = [{"age": 20}, {"age": "20"}, {"age": 20.0}, {"age": "old"}, {"age": 1.5}, {"age": True, "sure": "yes"}, {"age": 1, "sure": "perhaps"}, {}, None]
PAID = [{"by": {"kind": "card", "number": 1}}, {"by": {"kind": "card", "number": "x"}}, {"by": {"kind": "card"}}, {"by": {"kind": "bank", "iban": "DE"}},
        {"by": {"kind": "bank"}}, {"by": {"kind": "cash"}}, {"by": {}}, {"by": 7}, {}]

TABLE: dict[str, tuple[Any, list[Any]]] = {
    "person": (Person, PEOPLE),
    "aged": (Aged, AGES),
    "aliased": (Aliased, [{"name": "a"}, {"fullName": "a"}, {"full_name": "a"}, {}, {"fullName": 7}, {"name": None}, [], "a"]),
    "trimmed": (Trimmed, [{"word": "word"}, {"word": "  word  "}, {"word": "longer"}, {"word": 7}, {"word": None}, {}, [], "word"]),
    "paid": (Paid, PAID),
    "tagged": (Tagged, PAID),
    "strict": (Strict, [{"n": 1}, {"n": "1"}, {"n": 1, "note": None}, {"n": 1, "note": 2}, {"n": 1, "more": 1}, {"n": True}, {"n": 1, "at": "2026-01-01T00:00:00Z"}, {"n": 1, "at": "x"}, {}, []]),
    "span": (Span, [{"first": "2026-01-01T00:00:00", "last": "2026-01-02"}, {"first": "2026-01-03", "last": "2026-01-02"}, {"first": 0, "last": 1}, {"first": "x", "last": 1},
                    {"first": "2026-01-01 10:00", "last": "2027-01-01T00:00:00Z"}, {}, [], None]),
    "called": (Called, [{"phone": "TEL:123-é"}, {"phone": "tel:12-a"}, {"phone": "tel:123-"}, {"phone": ""}, {"phone": 7}, {"phone": None}, {}, [], None]),
    "tree": (Tree, [{"name": "a"}, {"name": "a", "children": [{"name": "b"}]}, {"name": "a", "children": [{"name": 7}]}, {"name": "a", "children": [{}]}, {"name": "a", "children": "b"}, {}, [], None]),
    "mixed": (Union[int, list[int], None, Card], [1, "1", "x", [1], ["x"], None, {"kind": "card", "number": 1}, {"kind": "card"}, {}, 1.5]),
}

if __name__ == "__main__":
    import json

    def verdict(model: Any, value: Any) -> Any:
        adapter = TypeAdapter(model)
        try:
            # What is strict takes text for times only where it is told that it comes from JSON.
            adapter.validate_json(json.dumps(value)) if model is Strict else adapter.validate_python(value)
        except ValueError as error:
            return [issue["msg"] for issue in error.errors()]
        return None

    print(json.dumps({name: [{"value": value, "said": verdict(model, value)} for value in values] for name, (model, values) in TABLE.items()}))
