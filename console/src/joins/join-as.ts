import { type Unsubscribe, wallTime } from '@treadle/api';
import { type Caller, includes } from '../access/caller.js';
import type { Surroundings } from '../api/surroundings.js';
import type { JoinEvent } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { connectGuest } from './guest-client.js';
import { joinRequest, type JoinRequest } from './join-request.js';

const CONNECTED = 101;

/**
 * The live topic `join`: connects as a client and tells what that is told. The functions of the application run as for any other client, so that it is for operators and
 * stands in the audit. @throws {Refusal} or what is wrong with the query
 */
export function joinAs(surroundings: Surroundings, { query, caller }: { readonly query: Readonly<Record<string, string>>; readonly caller: Caller }, tell: (event: JoinEvent) => void): Unsubscribe {
  if (!includes(caller.role, 'operator')) throw new Refusal(403, 'role_refused', `topic "join" is for the role operator; "${caller.name}" has the role ${caller.role}`);
  const request = joinRequest(query);
  const address = surroundings.catalog.addresses().get('stream');
  if (address === undefined) throw new Refusal(404, 'module_not_loaded', 'this engine has no stream module');
  return connectGuest(request, { clock: surroundings.clock, address: address.replace(/^http/, 'ws'), tell: (event) => {
    if (event.type === 'connected') note(surroundings, caller, request, CONNECTED);
    if (event.type === 'refused') note(surroundings, caller, request, event.status);
    tell(event);
  } });
}

function note({ audit, clock }: Surroundings, { name: who, role }: Caller, { stream, group, id }: JoinRequest, status: number): void {
  const path = ['', 'api', 'v1', 'streams', stream, 'groups', group, ...id === undefined ? [] : ['items', id]].map((part) => encodeURIComponent(part)).join('/');
  audit.add({ time: new Date(wallTime(clock)).toISOString(), who, role, remote: '', method: 'JOIN', path, status });
}
