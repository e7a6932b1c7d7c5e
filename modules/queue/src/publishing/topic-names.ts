/** Most names that are remembered; topics are the application's, so there are seldom more than a few. */
const MAX_NAMES = 1_000;

/** Names of spans by topic. Each is made once, for thousands of kept spans would otherwise hold as many copies of it. */
export class TopicNames {
  private readonly names = new Map<string, string>();

  constructor(private readonly prefix: string) {}

  of(topic: string): string {
    const known = this.names.get(topic);
    if (known !== undefined) return known;
    if (this.names.size === MAX_NAMES) this.names.clear();
    const name = topic === '' ? this.prefix : `${this.prefix} ${topic}`;
    this.names.set(topic, name);
    return name;
  }
}
