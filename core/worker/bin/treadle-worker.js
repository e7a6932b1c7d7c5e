#!/usr/bin/env node
import '../dist/treadle-worker.js';
