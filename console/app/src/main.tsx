import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/use-api.js';
import { Page } from './shell/page.js';
import './theme/tokens.css';
import './theme/base.css';

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(<StrictMode><QueryClientProvider client={queryClient}><Page /></QueryClientProvider></StrictMode>);
}
