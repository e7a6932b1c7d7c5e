import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askEarly, queryClient } from './api/use-api.js';
import { Page } from './shell/page.js';
import { viewOf } from './shell/views.js';
import { currentPath } from './url/location.js';
import './theme/tokens.css';
import './theme/base.css';

// Its code and what is asked for are on their way while the page around it is drawn for the first time.
const view = viewOf(currentPath());
view?.component.begin();
for (const id of ['GET /meta', 'GET /overview', 'GET /plugin-views', 'GET /jobs'] as const) askEarly(id);
view?.ask?.();

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(<StrictMode><QueryClientProvider client={queryClient}><Page /></QueryClientProvider></StrictMode>);
}
