import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/use-api.js';
import { Page } from './shell/page.js';
import { viewOf } from './shell/views.js';
import { currentPath } from './url/location.js';
import './theme/tokens.css';
import './theme/base.css';

// Its code is on its way while the page around it is drawn for the first time.
viewOf(currentPath())?.component.begin();

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(<StrictMode><QueryClientProvider client={queryClient}><Page /></QueryClientProvider></StrictMode>);
}
