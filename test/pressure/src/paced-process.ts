// A paced client in a process of its own: what it measures is not to wait for whoever asks.
import { answerQuestions } from '../../support/asked-process.js';
import { type Pace, PacedClient } from './paced-client.js';

/** What the process is asked. */
export type PacedQuestion = ({ readonly type: 'start' } & Pace) | { readonly type: 'report' | 'stop' };

const client = new PacedClient();

answerQuestions((question: PacedQuestion) => {
  if (question.type === 'start') return client.start(question);
  return question.type === 'report' ? client.report() : client.stop();
});
