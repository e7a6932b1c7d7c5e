import { expect } from 'chai';
import { middlewareFor, middlewareOfOtherLanguage } from './placement.js';

describe('middleware by place', () => {
  const all = [
    { file: 'steps/admin/b.middleware.ts' }, { file: 'steps/admin/a.middleware.js' }, { file: 'steps/admin/deep/x.middleware.ts' }, { file: 'steps/top.middleware.ts' },
    { file: 'steps/api.middleware.ts', paths: ['/api', '/teams/:team/users'] }, { file: 'src/all.middleware.ts', paths: ['/'] }, { file: 'steps/admin/p_middleware.py' },
  ];
  const names = (step: string, route: string): string[] => middlewareFor(all, step, route).map(({ file }) => file);

  it('holds for the folder and below, outer folders first and by name within one', () => {
    expect(names('steps/admin/deep/a.step.ts', '/x')).to.deep.equal([
      'src/all.middleware.ts', 'steps/top.middleware.ts', 'steps/admin/a.middleware.js', 'steps/admin/b.middleware.ts', 'steps/admin/deep/x.middleware.ts',
    ]);
    expect(names('steps/administration.step.ts', '/x')).to.deep.equal(['src/all.middleware.ts', 'steps/top.middleware.ts']);
    expect(names('src/a.step.ts', '/x')).to.deep.equal(['src/all.middleware.ts']);
  });

  it('holds for routes below a prefix, by whole segments, instead of for its folder', () => {
    const holds = (route: string): boolean => names('src/a.step.ts', route).includes('steps/api.middleware.ts');
    expect(['/api', '/api/', '/api/users/:id', '/teams/7/users', '/teams/:id/users/:user', '/apis', '/v1/api', '/:api', '/teams/7'].map(holds))
      .to.deep.equal([true, true, true, true, true, false, false, false, false]);
    expect(names('steps/a.step.ts', '/x')).not.to.include('steps/api.middleware.ts');
  });

  it('holds for Steps of its own language', () => {
    expect(names('steps/admin/a_step.py', '/api')).to.deep.equal(['steps/admin/p_middleware.py']);
    expect(middlewareOfOtherLanguage(all, 'steps/admin/a.step.ts', '/x').map(({ file }) => file)).to.deep.equal(['steps/admin/p_middleware.py']);
  });
});
