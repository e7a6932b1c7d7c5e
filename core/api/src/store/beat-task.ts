/** Something that is done at each beat, unless it is under way still. */
export class BeatTask {
  private running = false;
  /** What others told may be lost, and nothing has been done since that ended well. */
  private anew = false;

  constructor(private readonly act: (anew: boolean) => Promise<void>) {}

  /** @throws what it throws */
  async run(anew: boolean): Promise<void> {
    this.anew ||= anew;
    if (this.running) return;
    const lost = this.anew;
    this.running = true;
    this.anew = false;
    try {
      await this.act(lost);
    } catch (error) {
      this.anew = true;
      throw error;
    } finally {
      this.running = false;
    }
  }
}
