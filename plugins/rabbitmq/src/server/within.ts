/** Longest wait for an answer of the server; milliseconds. */
export const ANSWER_MS = 3_000;

/** The server did not answer in time. */
export class NoAnswer extends Error {
  constructor() {
    super(`no answer within ${ANSWER_MS / 1_000} s`);
  }
}

/**
 * What comes of it, in real time.
 * @throws {NoAnswer} when it takes too long; what it throws itself
 */
export async function withinAnswerTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(new NoAnswer()), ANSWER_MS); });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** After so many milliseconds, in real time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
