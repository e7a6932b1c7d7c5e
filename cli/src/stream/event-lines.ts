/** Takes server-sent events apart; the text may come in any pieces. Comments and other fields are left out. */
export class EventLines {
  private rest = '';

  /** The events that are whole now, as their JSON. */
  take(piece: string): readonly unknown[] {
    const blocks = (this.rest + piece).split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data = block.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length));
      return data.length === 0 ? [] : [JSON.parse(data.join('\n')) as unknown];
    });
  }
}
