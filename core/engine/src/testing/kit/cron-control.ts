import type { CronRun, Ctor, Lifecycle } from '@treadle/api';
import { CronModule } from '@treadle/module-cron';
import type { Activity } from './activity.js';

/** How a run that a test asked for has ended. */
export interface TestCronRun {
  readonly status: CronRun['status'];
  readonly traceId: string;
  /** What the handler threw. */
  readonly error?: string;
}

/** Starts cron triggers by hand. */
export class CronControl {
  private module: CronModule | undefined;
  private readonly waiting = new Map<string, (run: CronRun) => void>();
  /** Ends of runs that nobody has asked for yet: a handler may end before its start is known to have been one. */
  private readonly over = new Map<string, CronRun>();

  constructor(private readonly activity: Activity) {}

  /** The cron module of one engine, which this control steers. */
  moduleClass(): Ctor<Lifecycle> {
    const made = (module: CronModule): void => void (this.module = module);
    return class ControlledCron extends CronModule {
      override async init(context: Parameters<CronModule['init']>[0]): Promise<void> {
        made(this);
        await super.init(context);
      }
    } as unknown as Ctor<Lifecycle>;
  }

  /** Listens to the ends of runs; to be called once the engine has started. */
  open(): void {
    const { service } = this.module ?? {};
    if (!service) return;
    service.observer = (run) => {
      this.activity.touch();
      const waiting = this.waiting.get(run.id);
      this.waiting.delete(run.id);
      if (waiting) waiting(run);
      else if (run.manual) this.over.set(run.id, run);
    };
  }

  /**
   * Runs the cron trigger of a Step and resolves when its handler has ended. `trigger`: its expression, with its time zone or without.
   * @throws an `Error` when there is no such trigger, several, or a run of that moment already
   */
  async run(step: string, { at, trigger }: { readonly at?: number; readonly trigger?: string }): Promise<TestCronRun> {
    const { service } = this.module ?? {};
    if (!service) throw new Error('the configuration has no modules::cron::CronModule');
    const [timeline, ...others] = service.triggersOf(step).filter(({ key }) => trigger === undefined || isNamed(key.trigger, trigger));
    if (!timeline) throw new Error(`no cron trigger${trigger === undefined ? '' : ` "${trigger}"`} of a Step "${step}"; there are ${this.known()}`);
    if (others.length > 0) {
      throw new Error(`Step "${step}" has several cron triggers; name one: ${[timeline, ...others].map(({ key }) => `"${key.trigger}"`).join(' or ')}`);
    }
    const begun = at === undefined ? await service.runNow(timeline) : await timeline.runNow(at);
    if (!begun) throw new Error(`Step "${step}" has run for ${new Date(at ?? 0).toISOString()} already; give another time`);
    const { status, traceId, error } = await this.ended(begun);
    return { status, traceId, ...error !== undefined && { error } };
  }

  private ended({ id }: CronRun): Promise<CronRun> {
    const over = this.over.get(id);
    this.over.delete(id);
    if (over) return Promise.resolve(over);
    return new Promise((resolve) => void this.waiting.set(id, resolve));
  }

  private known(): string {
    const known = this.module?.service?.triggers().map(({ key }) => `"${key.step}" (${key.trigger})`) ?? [];
    return known.length > 0 ? known.join(', ') : 'none';
  }
}

/** `id`: the expression in its usual form and the time zone. */
function isNamed(id: string, trigger: string): boolean {
  const given = trigger.trim().split(/\s+/).join(' ');
  return id === given || id.slice(0, id.lastIndexOf(' ')) === given.toUpperCase();
}
