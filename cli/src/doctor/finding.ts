/** How one part of an installation is. */
export interface DoctorFinding {
  /** What was looked at, e.g. `node`, `port 3111`. */
  readonly subject: string;
  /** `warning`: it works, but look at it. `failed`: the application cannot run so. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export const ok = (subject: string, detail: string): DoctorFinding => ({ subject, status: 'ok', detail });

export const warned = (subject: string, detail: string, remedy: string): DoctorFinding => ({ subject, status: 'warning', detail, remedy });

export const failed = (subject: string, detail: string, remedy: string): DoctorFinding => ({ subject, status: 'failed', detail, remedy });
