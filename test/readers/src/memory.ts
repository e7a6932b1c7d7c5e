import { descendantsOf, residentMegabytes } from '../../bench/src/process-usage.js';

const EVERY_MS = 100;

/** Resident MB at the start and at most, of the engine and of the Step process that takes most. */
export interface Memory {
  readonly engine: readonly [start: number, most: number];
  readonly steps: readonly [start: number, most: number];
}

/** Watches what an engine and its Step processes take of memory. */
export class EngineMemory {
  private readonly engine: [number, number];
  private readonly steps: [number, number];
  private readonly children: readonly number[];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.children = descendantsOf(pid);
    const [engine, steps] = this.now();
    this.engine = [engine, engine];
    this.steps = [steps, steps];
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  /** Ends the watch. */
  stop(): Memory {
    this.look();
    clearInterval(this.timer);
    return { engine: this.engine, steps: this.steps };
  }

  private look(): void {
    const [engine, steps] = this.now();
    this.engine[1] = Math.max(this.engine[1], engine);
    this.steps[1] = Math.max(this.steps[1], steps);
  }

  private now(): [number, number] {
    const resident = (pid: number): number => Math.round(residentMegabytes(pid) || 0);
    return [resident(this.pid), Math.max(0, ...this.children.map(resident))];
  }
}
