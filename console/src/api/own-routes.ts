import { backupStores } from './backup.js';
import { apiIndex, openApiDocument } from './description.js';
import { engineOverview, modulesOverview, stepsOverview } from './overview.js';
import { JOB_ROUTES } from './job-routes.js';
import type { OwnRoute } from './own-route.js';
import { RUN_ROUTES } from './run-routes.js';
import { SESSION_ROUTES } from './session-routes.js';
import { VIEW_ROUTES } from './view-routes.js';

/** What the admin API serves whatever modules there are. */
export const OWN_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/', takes: [], summary: 'All routes of this engine', answer: ({ catalog, engine }) => apiIndex(catalog, engine, OWN_ROUTES) },
  { method: 'GET', path: '/openapi.json', takes: [], summary: 'All routes as OpenAPI 3.1', answer: ({ catalog, engine }) => openApiDocument(catalog, engine, OWN_ROUTES) },
  { method: 'GET', path: '/engine', takes: [], summary: 'Version, folders, addresses and health', answer: engineOverview },
  { method: 'GET', path: '/modules', takes: [], summary: 'Modules and adapters with their status and routes', answer: modulesOverview },
  { method: 'GET', path: '/steps', takes: [], summary: 'Steps, diagnostics, Step processes and crashes', answer: stepsOverview },
  { method: 'POST', path: '/backup', takes: ['file'], role: 'admin', summary: 'Copies the embedded stores', answer: ({ catalog }, { body }) => backupStores(catalog, body) },
  ...SESSION_ROUTES,
  ...VIEW_ROUTES,
  ...RUN_ROUTES,
  ...JOB_ROUTES,
];
