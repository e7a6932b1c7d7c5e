// Starts an engine with all modules and writes the operations of its OpenAPI document, by which the calls of the page are typed:
// npm run console:api, after write-answer-schemas.mjs
import { writeFileSync } from 'node:fs';
import { operationsOf } from './operation-types.mjs';

const { startShop } = await import('../src/application.fixture.ts');
const shop = await startShop();
try {
  writeFileSync(new URL('../app/src/api/operations.generated.ts', import.meta.url), operationsOf(await shop.json('GET', '/openapi.json')));
} finally {
  await shop.stop();
}
