import type { CallWatcher, Session, SessionHandle, Sessions, Unsubscribe } from '@treadle/api';
import { AttachedSession, type SessionParts } from './attached-session.js';
import { SessionState } from './session-state.js';

/** Takes sessions in. */
export class AttachedSessions implements Sessions {
  constructor(private readonly parts: SessionParts) {}

  attach(session: Session): SessionHandle {
    const state = new SessionState(session);
    this.parts.dispatcher.pool.attach(state);
    return new AttachedSession(this.parts, state);
  }

  watch(watcher: CallWatcher): Unsubscribe {
    const { dispatcher } = this.parts;
    dispatcher.watcher = watcher;
    return () => {
      if (dispatcher.watcher === watcher) dispatcher.watcher = undefined;
    };
  }
}
