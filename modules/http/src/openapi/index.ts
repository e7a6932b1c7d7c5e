export { openApiDocument, type OpenApiDocument, type OpenApiSource } from './openapi-document.js';
export { applicationFacts, type ApplicationFacts } from './application-facts.js';
