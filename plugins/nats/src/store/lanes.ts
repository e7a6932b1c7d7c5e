import { TaskLane } from '@treadle/api';

/** Lanes by name; each is forgotten when nothing is under way in it. */
export class Lanes {
  private readonly lanes = new Map<string, TaskLane>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(name) ?? new TaskLane();
    this.lanes.set(name, lane);
    try {
      return await lane.run(task);
    } finally {
      setImmediate(() => {
        if (lane.idle && this.lanes.get(name) === lane) this.lanes.delete(name);
      });
    }
  }
}
