/** Why a text is refused, and where. Thrown inside the parser only. */
export class SyntaxProblem extends Error {
  /** Offset in the text. */
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}
