import type { OpenApiDocument } from '@treadle/module-http/openapi';
import { toYaml } from '../modules/yaml.js';

/** Prints the document. `form`: `yaml`, `json`, or a file whose ending says which. */
export function formatOpenApi(document: OpenApiDocument, form = 'json'): string {
  return /(^|\.)ya?ml$/i.test(form) ? toYaml(document) : `${JSON.stringify(document, null, 2)}\n`;
}
