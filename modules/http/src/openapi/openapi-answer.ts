import type { EngineInfo, StepRecord } from '@treadle/api';
import type { Exchange } from '../request/exchange.js';
import { writePayload } from '../response/result-writer.js';

const PATH = '/openapi.json';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers with the OpenAPI document of the Steps as they are now. */
export interface OpenApiAnswer {
  answers(path: string): boolean;
  serve(exchange: Exchange): void;
}

/**
 * `GET /openapi.json`, for development. A Step or a file of that path comes first, so that it is the same in production, where this
 * does not exist. Its code is loaded when somebody asks.
 */
export function openApiAnswer({ application, root }: EngineInfo, steps: () => readonly StepRecord[]): OpenApiAnswer {
  const document = async (): Promise<string> => {
    const { applicationFacts, openApiDocument } = await import('./index.js');
    return JSON.stringify(openApiDocument({ title: application, ...await applicationFacts(root), steps: steps() }));
  };
  return {
    answers: (path) => path === PATH,
    serve: (exchange) => {
      document().then(
        (payload) => writePayload(exchange, 200, { list: ['content-type', JSON_TYPE, 'cache-control', 'no-store'], payload, contentType: JSON_TYPE }),
        (error: unknown) => exchange.crash(error),
      );
    },
  };
}
