import { readJson } from '../api/json.js';

/** Why a text is no JSON; undefined when it is. */
export function faultOf(text: string): string | undefined {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    return `Not JSON: ${(error as Error).message}`;
  }
}
