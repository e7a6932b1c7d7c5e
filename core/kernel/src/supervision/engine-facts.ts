import { randomUUID } from 'node:crypto';
import type { EngineInfo } from '@treadle/api';
import type { EnginePlan } from '../planned.js';

/** Told of each port and socket. */
export type Announce = (name: string, address: string) => void;

/** Facts about the engine as modules see them, and the addresses that they announce. */
export class EngineFacts {
  /** The plan that runs; a reload replaces it. */
  plan: EnginePlan;
  private readonly engineId = randomUUID();
  private readonly announced = new Map<string, { readonly owner: object; readonly address: string }>();

  constructor(plan: EnginePlan, private readonly version: string, private readonly tell: Announce | undefined) {
    this.plan = plan;
  }

  /** What an entry is given; it can name its own addresses. */
  infoFor(owner: object): EngineInfo {
    const facts = (): EnginePlan => this.plan;
    return {
      version: this.version,
      engineId: this.engineId,
      get env() { return facts().env; },
      get mode() { return facts().mode; },
      get root() { return facts().root; },
      get dataDir() { return facts().dataDir; },
      get configFile() { return facts().configFile; },
      get application() { return facts().application; },
      announce: (name, address) => {
        this.announced.set(name, { owner, address });
        this.tell?.(name, address);
      },
    };
  }

  get addresses(): ReadonlyMap<string, string> {
    return new Map([...this.announced].map(([name, { address }]) => [name, address]));
  }

  /** The owner has stopped: its addresses are gone. */
  forget(owner: object): void {
    for (const [name, entry] of this.announced) if (entry.owner === owner) this.announced.delete(name);
  }
}
