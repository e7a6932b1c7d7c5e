import { expect } from 'chai';
import { fileProblem } from './file-problem.js';

describe('what mends an import that fails', () => {
  const remedy = (message: string, file: string): string | undefined => fileProblem({ kind: 'import', message }, file).remedy;

  it('is the command that installs a package', () => {
    expect(remedy('cannot find "nanoid"', 'steps/a.step.ts')).to.equal('npm install nanoid, or correct the import');
    expect(remedy('cannot find "@acme/db/client.js"', 'steps/a.step.ts')).to.equal('npm install @acme/db, or correct the import');
    expect(remedy("ModuleNotFoundError: No module named 'httpx'", 'steps/a_step.py')).to.match(/^pip install httpx,/);
  });

  it('is none for files, aliases and what throws while it loads', () => {
    for (const message of ['cannot find "./db.js"', 'cannot find "../src/late"', 'cannot find "@/greeted.js"', 'Error: no database']) {
      expect(remedy(message, 'steps/a.step.ts'), message).to.match(/^make the file load/);
    }
  });
});
