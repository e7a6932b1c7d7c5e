import { performance } from 'node:perf_hooks';

/** An engine that computes for more than this part of the time is busy; what it waits for, such as Step processes, may want the processor, too. */
const BUSY = 0.2;
/** What is shorter says little; milliseconds. */
const LEAST_MS = 50;

/** Time that a thread has computed and waited, in milliseconds since any moment. */
export interface LoopTime {
  readonly active: number;
  readonly idle: number;
}

/** Whether the engine has much to do, beside the work of which it is told here: that must not take itself for load. */
export class EngineLoad {
  private former: LoopTime;
  private own = 0;
  private busy = false;

  constructor(private readonly loop: () => LoopTime = () => performance.eventLoopUtilization()) {
    this.former = loop();
  }

  /** Work that does not count took so many milliseconds. */
  spent(ms: number): void {
    this.own += ms;
  }

  /** Since it was asked last, or in the stretch before if that is short. */
  isBusy(): boolean {
    const { active, idle } = this.loop();
    const others = Math.max(0, active - this.former.active - this.own);
    const time = others + idle - this.former.idle;
    if (time < LEAST_MS) return this.busy;
    this.former = { active, idle };
    this.own = 0;
    this.busy = others / time > BUSY;
    return this.busy;
  }
}
