import type { IncomingMessage } from 'node:http';
import type { AdminRequest } from '@treadle/api';
import type { Caller } from '../access/caller.js';
import type { Role } from '../contract/index.js';
import type { Surroundings } from './surroundings.js';

/** A request to a route of the console module. */
export interface OwnRequest extends Omit<AdminRequest, 'caller'> {
  readonly caller: Caller;
  readonly incoming: IncomingMessage;
  /** Adds a header to the answer. */
  setHeader(name: string, value: string): void;
  /** What the audit says of it besides. */
  note(what: { readonly selection: string }): void;
}

/** A route of the console module itself, below `/api/v1`. */
export interface OwnRoute {
  readonly method: 'GET' | 'POST';
  /** With `:params`. */
  readonly path: string;
  /** Names of its arguments; undefined: it sees to them itself. */
  readonly takes?: readonly string[];
  readonly summary: string;
  /** Default: viewer for GET, operator for POST. */
  readonly role?: Role;
  readonly answer: (surroundings: Surroundings, request: OwnRequest) => unknown;
}
