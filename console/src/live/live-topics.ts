import { type AdminEventSink, type AdminRoute, type Unsubscribe } from '@treadle/api';
import { type Caller, includes } from '../access/caller.js';
import { blockRoute } from '../api/ask-module.js';
import { findRoute, type FoundRoute } from '../api/module-routes.js';
import { moduleOperation, ownOperation } from '../api/operation.js';
import { SNAPSHOTS } from '../api/snapshots.js';
import type { Surroundings } from '../api/surroundings.js';
import { joinAs } from '../joins/join-as.js';
import { payloadView } from '../payloads/payload-view.js';
import { Refusal } from '../server/refusal.js';
import type { Pace } from './pace.js';
import { Sampler } from './sampler.js';

/** Topics that are event routes of modules. */
const EVENT_ROUTES: Readonly<Record<string, readonly [block: string, path: string]>> = {
  logs: ['observability', '/logs/follow'], traces: ['observability', '/traces/follow'], state: ['state', '/follow'], stream: ['stream', '/watch'],
};

/** What a subscription is fed with. */
export interface TopicSink {
  /** With a value as JSON text. */
  replace(snapshot: string): void;
  /** What it was fed with is not up to date, for this reason, until it is fed again. */
  stale(error: unknown): void;
  add(event: unknown): void;
  /** Nobody sees what it is fed with. */
  isHidden(): boolean;
}

export interface TopicRequest {
  readonly topic: string;
  readonly query: Readonly<Record<string, string>>;
  readonly caller: Caller;
}

/** Finds what a topic is and lets it feed subscriptions. Values are read while somebody listens, and once for all who do. */
export class LiveTopics {
  private readonly samplers = new Map<string, Sampler>();

  constructor(private readonly surroundings: Surroundings, private readonly pace: Pace) {}

  /** @throws {Refusal} or what the route says when there is no such topic, or it is not for the caller */
  async open(request: TopicRequest, sink: TopicSink): Promise<Unsubscribe> {
    const { topic } = request;
    if (Object.hasOwn(SNAPSHOTS, topic)) return this.follow(request, sink);
    if (topic === 'join') return this.join(request, sink);
    const { query, caller } = request;
    const { route, params } = this.eventRoute(topic);
    const role = route.access ?? 'viewer';
    if (!includes(caller.role, role)) throw new Refusal(403, 'role_refused', `topic "${topic}" is for the role ${role}`);
    const view = await payloadView(caller, moduleOperation(this.surroundings.catalog, route));
    view.admit({ query, body: undefined });
    const send: AdminEventSink = (event) => sink.add(view.shown(event));
    return await route.handle({ params, query, body: undefined }, send) as Unsubscribe;
  }

  private async follow({ topic, caller }: TopicRequest, sink: TopicSink): Promise<Unsubscribe> {
    const view = await payloadView(caller, ownOperation({ method: 'GET', path: `/${topic}` }));
    view.admit({ query: {}, body: undefined });
    return this.sampler(topic).listen({ tell: (text) => sink.replace(view.shownText(text)), stale: (error) => sink.stale(error), isHidden: () => sink.isHidden() });
  }

  private async join({ query, caller }: TopicRequest, sink: TopicSink): Promise<Unsubscribe> {
    const view = await payloadView(caller, { method: 'GET', path: '/api/v1/join', events: true });
    view.admit({ query, body: undefined });
    return joinAs(this.surroundings, { query, caller }, (event) => sink.add(view.shown(event)));
  }

  private eventRoute(topic: string): FoundRoute {
    const known = Object.hasOwn(EVENT_ROUTES, topic) ? EVENT_ROUTES[topic] : undefined;
    if (known) return { route: this.known(topic, known), params: {} };
    if (!topic.startsWith('/')) throw new Refusal(404, 'not_found', `there is no topic "${topic.slice(0, 100)}"`);
    const found = findRoute(this.surroundings.catalog, 'GET', `/api/v1${topic}`);
    if (found.route.method !== 'EVENTS') throw new Refusal(404, 'not_found', `${topic.slice(0, 100)} has no events`);
    return found;
  }

  private known(topic: string, [block, path]: readonly [string, string]): AdminRoute {
    const route = blockRoute(this.surroundings.catalog, block, 'EVENTS', path);
    if (route) return route;
    throw new Refusal(404, 'module_not_loaded', `topic "${topic}" needs the ${block} module, which this engine has not`);
  }

  private sampler(topic: string): Sampler {
    const known = this.samplers.get(topic);
    if (known) return known;
    const { clock, log } = this.surroundings;
    const snapshot = SNAPSHOTS[topic] as (typeof SNAPSHOTS)[string];
    const failed = (error: unknown): void => log.warn('a live topic could not be read', { topic, reason: String(error) });
    const sampler = new Sampler({ clock, everyMs: snapshot.everyMs, pace: this.pace, read: () => snapshot.read(this.surroundings), failed });
    this.samplers.set(topic, sampler);
    return sampler;
  }
}
