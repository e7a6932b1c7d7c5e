// npm run sbom: what the packages of the checkout in the working directory consist of, as CycloneDX.
import { writeBill } from './write-bill.js';

process.stdout.write(`${writeBill()}\n`);
