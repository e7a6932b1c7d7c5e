/**
 * `last_tick`: newest tick with a record that was not manual. `cron_forgotten`: spans of ticks whose records were removed; none of
 * them is ever claimed again. `holder`: the member that runs it, until `lease_until`; null: nobody.
 */
export const CRON_TABLES = `
  CREATE TABLE cron_schedules (
    step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL, since bigint NOT NULL, paused boolean NOT NULL DEFAULT false, last_tick bigint,
    PRIMARY KEY (step, trig));
  CREATE TABLE cron_runs (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL,
    scheduled_at bigint NOT NULL, fired_at bigint NOT NULL, attempt integer NOT NULL, manual boolean NOT NULL, missed boolean NOT NULL,
    status text NOT NULL, duration_ms double precision, trace_id text NOT NULL, error text, holder bigint, lease_until bigint,
    UNIQUE (step, trig, scheduled_at));
  CREATE INDEX cron_runs_running ON cron_runs (step, trig, scheduled_at) WHERE status = 'running';
  CREATE TABLE cron_forgotten (
    step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL, first_tick bigint NOT NULL, last_tick bigint NOT NULL,
    PRIMARY KEY (step, trig, first_tick));`;
