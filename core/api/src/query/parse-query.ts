import { queryTokens, type QueryToken } from './query-tokens.js';
import { QueryError, type QueryField, type QueryNode } from './query-tree.js';

/** Longest query, in characters. */
const MAX_LENGTH = 2_000;
/** Most conditions and parentheses within each other. */
const MAX_TOKENS = 400;
const MAX_DEPTH = 32;

/**
 * Reads `level:>=warn step:Notify* -"x" (a OR b)` as a tree; undefined for a query that says nothing.
 * What stands together binds closer than `OR`; `-` means only what follows it.
 * @throws {QueryError} with the characters that are wrong
 */
export function parseQuery(query: string): QueryNode | undefined {
  if (query.length > MAX_LENGTH) throw new QueryError(`a query has at most ${MAX_LENGTH} characters`, { from: MAX_LENGTH, to: query.length });
  const tokens = queryTokens(query);
  const [excess] = tokens.slice(MAX_TOKENS);
  if (excess) throw new QueryError(`a query has at most ${MAX_TOKENS} parts`, excess);
  return tokens.length === 0 ? undefined : new Parser(tokens).whole();
}

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly QueryToken[]) {}

  whole(): QueryNode {
    const node = this.either();
    const rest = this.peek();
    if (rest) throw new QueryError('there is no "(" for this ")"', rest);
    return node;
  }

  private either(): QueryNode {
    const parts = [this.together()];
    while (this.peek()?.kind === 'or') {
      this.at += 1;
      parts.push(this.together());
    }
    return joined('or', parts);
  }

  private together(): QueryNode {
    const parts = [this.one()];
    for (let next = this.peek(); next && next.kind !== 'or' && next.kind !== ')'; next = this.peek()) {
      if (next.kind === 'and') this.at += 1;
      parts.push(this.one());
    }
    return joined('and', parts);
  }

  private one(): QueryNode {
    const token = this.take();
    if (token.kind === 'word') return this.peek()?.kind === ':' && this.peek()?.glued === true ? this.field(token) : textNode(token);
    if (token.kind === '-') return this.negated(token);
    if (token.kind === '(') return this.group(token);
    if (token.kind === ':') throw new QueryError('a field\'s name must stand before ":"; quotes make it a text', token);
    throw new QueryError(token.kind === ')' ? 'there is nothing before this ")"' : `there is nothing before this ${token.kind.toUpperCase()}`, token);
  }

  private negated(minus: QueryToken): QueryNode {
    if (this.peek()?.glued !== true) throw new QueryError('"-" must stand right before what it means; quotes make it a text', minus);
    return { type: 'not', part: this.nested(minus, () => this.one()) };
  }

  private group(open: QueryToken): QueryNode {
    return this.nested(open, () => {
      if (this.peek()?.kind === ')') throw new QueryError('there is nothing between the parentheses', { from: open.from, to: open.to + 1 });
      const node = this.either();
      if (this.peek()?.kind !== ')') throw new QueryError('there is no ")" for this "("', open);
      this.at += 1;
      return node;
    });
  }

  private nested<T>(token: QueryToken, read: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new QueryError(`more than ${MAX_DEPTH} of these are within each other`, token);
    const node = read();
    this.depth -= 1;
    return node;
  }

  private field(name: QueryToken & { readonly kind: 'word' }): QueryNode {
    const colon = this.take();
    const compare = this.peek()?.kind === 'compare' ? this.take() : undefined;
    const value = this.peek();
    const [from, field] = [name.from, name.text];
    const end = compare ?? colon;
    if (value?.glued !== true || value.kind !== 'word') throw new QueryError(`"${field}:" needs a value right behind it, or "has:${field}"`, { from, to: end.to });
    this.at += 1;
    if (field === 'has') return { type: 'has', field: value.text, from: value.from, to: value.to };
    const comparison = compare?.kind === 'compare' ? compare.comparison : '=';
    const node: QueryField = { type: 'field', field, comparison, value: value.text, valueAt: { from: value.from, to: value.to }, quoted: value.quoted, from, to: name.to };
    return node;
  }

  private peek(): QueryToken | undefined {
    return this.tokens[this.at];
  }

  private take(): QueryToken {
    const token = this.tokens[this.at];
    const last = this.tokens.at(-1) as QueryToken;
    if (!token) throw new QueryError('something must follow', last);
    this.at += 1;
    return token;
  }
}

function textNode({ text, from, to }: QueryToken & { readonly kind: 'word' }): QueryNode {
  return { type: 'text', text, from, to };
}

function joined(type: 'and' | 'or', parts: readonly QueryNode[]): QueryNode {
  const [first] = parts;
  return parts.length === 1 && first ? first : { type, parts };
}
