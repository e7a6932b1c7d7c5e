export { openApiDocument, type OpenApiDocument, type OpenApiSource } from './openapi-document.js';
export { applicationVersion } from './application-version.js';
