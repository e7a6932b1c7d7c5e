import { OperationError } from '@treadle/api';
import type { Engine } from '@treadle/kernel';
import { OperationError as HandlerError, type OperationArgs, type OperationName, type OperationResult } from 'treadle';

/** Whose handler calls an operation that a test stands in for. */
export interface TestCaller {
  readonly step: string;
  readonly traceId: string;
}

type Fake<Args, Result> = (args: Args, caller: TestCaller) => Result | Promise<Result>;

/** Functions in the place of operations, by name; those that are declared with their types. */
export type TestOperations =
  & { readonly [Name in OperationName]?: Fake<OperationArgs<Name>, OperationResult<Name>> }
  & { readonly [name: string]: Fake<never, unknown> };

/** Has functions of a test serve operations from now on, whoever served them before. */
export function fakeOperations(engine: Engine, fakes: TestOperations): void {
  for (const [name, fake] of Object.entries(fakes)) {
    engine.dispatch.operations.bind(name, async (args, { step, call }) => {
      try {
        return await (fake as Fake<unknown, unknown>)(args, { step: step.id, traceId: call.request.traceId });
      } catch (error) {
        // A test throws the class that handlers know.
        throw error instanceof HandlerError && !(error instanceof OperationError) ? new OperationError(error.code, error.message) : error;
      }
    });
  }
}
