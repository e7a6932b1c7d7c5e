/** Has calls go on in the order in which they came, each once what it waits for has come. They wait for it beside each other. */
export class Passage {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `go` after that of the calls before it, whatever has become of them. What it resolves with is waited for by the calls behind it; what is only in
   * an object or a list is not.
   * @param ready what this call waits for, under way already
   * @throws what `ready` or `go` fails with
   */
  run<R, T>(ready: Promise<R>, go: (ready: R) => T | Promise<T>): Promise<T> {
    const gone = Promise.allSettled([this.last, ready]).then(() => ready).then(go);
    this.last = gone.catch(() => undefined);
    return gone;
  }
}
