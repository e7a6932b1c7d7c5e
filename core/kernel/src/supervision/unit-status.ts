import type { InstanceId, Logger, RuntimeStatus } from '@treadle/api';
import type { HealthBoard, Status } from './health-board.js';

const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  starting: ['ok', 'degraded', 'failed', 'stopping'],
  ok: ['degraded', 'failed', 'stopping'],
  degraded: ['ok', 'failed', 'stopping'],
  failed: ['stopping'],
  stopping: ['stopped'],
  stopped: [],
};
const LEVELS: Readonly<Record<RuntimeStatus, 'info' | 'warn' | 'error'>> = {
  starting: 'info', ok: 'info', degraded: 'warn', failed: 'error',
};

/** The status of one instance: legal transitions only. */
export class UnitStatus {
  private current: Status = 'starting';
  private message: string | undefined;
  private reported = false;

  constructor(
    private readonly unit: { readonly instance: InstanceId; readonly capabilities?: unknown },
    private readonly health: HealthBoard,
    private readonly log: Logger,
  ) {
    this.publish();
  }

  /** The instance says how it is. Nothing changes once it is being stopped. */
  report(status: RuntimeStatus, detail?: { readonly message: string; readonly cause?: unknown }): void {
    if (this.current === 'stopping' || this.current === 'stopped') return;
    this.reported = true;
    if (status !== this.current && !NEXT[this.current].includes(status)) {
      this.log.warn('a status report was ignored: no such transition', { from: this.current, to: status });
      return;
    }
    const changed = status !== this.current || detail?.message !== this.message;
    this.current = status;
    this.message = detail?.message;
    if (!changed) return;
    this.log[LEVELS[status]]('status changed', { status, ...detail });
    this.publish();
  }

  /** The supervisor has finished starting it; an instance that said something of itself is believed. */
  started(): void {
    if (!this.reported) this.to('ok');
  }

  /** A step of the supervisor's; ignored when it is none, as at the second stop. */
  to(status: 'ok' | 'stopping' | 'stopped'): void {
    if (!NEXT[this.current].includes(status)) return;
    this.current = status;
    this.message = undefined;
    this.publish();
  }

  private publish(): void {
    const { instance, capabilities } = this.unit;
    this.health.set(this.unit, { instance, status: this.current, message: this.message, ...capabilities !== undefined && { capabilities } });
  }
}
