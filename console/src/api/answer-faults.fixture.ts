import { Validator } from '@cfworker/json-schema';
import { ANSWER_TYPES, ANSWERS } from './answer-schemas.generated.js';
import { literalParts, matchPath } from './route-match.js';

const validators = new Map<string, Validator>();

/** What of an answer with 200 does not fit the schema of its route, a line each; nothing for a route without one. `path` is below `/api/v1`. */
export function answerFaults(method: string, path: string, answer: unknown): readonly string[] {
  const parts = (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');
  const routes = Object.keys(ANSWERS).filter((route) => route.startsWith(`${method} `) && matchPath(route.slice(method.length + 1), parts) !== undefined);
  const route = routes.sort((a, b) => literalParts(b) - literalParts(a))[0];
  if (route === undefined) return [];
  const { valid, errors } = validatorOf(route).validate(answer);
  return valid ? [] : errors.filter(({ keyword }) => !['$ref', 'properties', 'items', 'anyOf'].includes(keyword)).map(({ instanceLocation, error }) => `${route} ${instanceLocation.slice(1)}: ${error}`);
}

function validatorOf(route: string): Validator {
  const known = validators.get(route);
  if (known) return known;
  const made = new Validator({ ...ANSWERS[route], components: { schemas: ANSWER_TYPES } } as ConstructorParameters<typeof Validator>[0], '2020-12', false);
  validators.set(route, made);
  return made;
}
