// The plugin with the time of the tests, also in processes that have nothing else of them.
import './kit-time.fixture.js';

export { default } from '../index.js';
