/** A string of a JSON text. */
export interface JsonString {
  /** Where its quotes are: at `from`, and before `to`. */
  readonly from: number;
  readonly to: number;
  /** Without escapes. */
  readonly value: string;
  /** Of a value that is a member of a member of the whole: their names. Undefined elsewhere, and of a name. */
  readonly path: readonly [string, string] | undefined;
}

/** An object or list around a place. */
interface Around {
  readonly isObject: boolean;
  /** Name of the member that the place is in; undefined before its name. */
  name: string | undefined;
}

/** All strings of a text in their order, names of members among them. Members that later ones of the same name replace have theirs, too. `json`: JSON without a mistake. */
export function* stringsOf(json: string): Generator<JsonString> {
  const around: Around[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at];
    const inner = around.at(-1);
    if (letter === '{' || letter === '[') around.push({ isObject: letter === '{', name: undefined });
    else if (letter === '}' || letter === ']') around.pop();
    else if (letter === ',' && inner) inner.name = undefined;
    else if (letter === '"') {
      const to = endOf(json, at);
      const value = JSON.parse(json.slice(at, to)) as string;
      const isName = inner?.isObject === true && inner.name === undefined;
      yield { from: at, to, value, path: isName ? undefined : pathOf(around) };
      if (isName) inner.name = value;
      at = to - 1;
    }
  }
}

function endOf(json: string, from: number): number {
  let at = from + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function pathOf({ length, 0: outer, 1: inner }: readonly Around[]): JsonString['path'] {
  return outer?.name === undefined || inner?.name === undefined || length > 2 ? undefined : [outer.name, inner.name];
}
