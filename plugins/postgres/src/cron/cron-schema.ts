/**
 * `last_tick`: newest tick with a record that was not manual. `cron_forgotten`: spans of ticks, whole seconds apart, whose records were
 * removed; none of them is ever claimed again. `holder` and `hand`: the member that runs it, and which of its adapters, until `lease_until`;
 * null: nobody. Moments are the store's.
 */
export const CRON_TABLES = `
  CREATE TABLE cron_schedules (
    step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL, since bigint NOT NULL, paused boolean NOT NULL DEFAULT false, last_tick bigint,
    PRIMARY KEY (step, trig));
  CREATE TABLE cron_runs (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL,
    scheduled_at bigint NOT NULL, fired_at bigint NOT NULL, attempt integer NOT NULL, manual boolean NOT NULL, missed boolean NOT NULL,
    status text NOT NULL, duration_ms double precision, trace_id text NOT NULL, error text, holder bigint, hand integer, lease_until bigint,
    UNIQUE (step, trig, scheduled_at));
  CREATE INDEX cron_runs_running ON cron_runs (step, trig, scheduled_at) WHERE status = 'running';
  CREATE INDEX cron_runs_order ON cron_runs (step, trig, seq);
  CREATE TABLE cron_forgotten (
    step text COLLATE "C" NOT NULL, trig text COLLATE "C" NOT NULL, first_tick bigint NOT NULL, last_tick bigint NOT NULL,
    PRIMARY KEY (step, trig, first_tick));
  CREATE FUNCTION cron_lock(p_steps text[], p_trigs text[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE v_key integer;
  BEGIN
    FOR v_key IN SELECT DISTINCT hashtext(t.step || ' ' || t.trig) FROM unnest(p_steps, p_trigs) AS t (step, trig) ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(store_key() # 2, v_key);
    END LOOP;
  END $$;`;

/** `paused_until`: only of a pause that ends by itself; ticks from then on are none of it. */
export const CRON_PAUSES = `
  ALTER TABLE cron_schedules ADD COLUMN paused_until bigint;
  CREATE OR REPLACE FUNCTION cron_claim(p_holder bigint, p_hand integer, p_until bigint, p_alone boolean, p_steps text[], p_trigs text[], p_ids text[],
    p_scheduled bigint[], p_fired bigint[], p_attempts integer[], p_manual boolean[], p_missed boolean[], p_status text[],
    p_durations double precision[], p_traces text[], p_errors text[]) RETURNS text[] LANGUAGE plpgsql AS $$
  DECLARE v_outcomes text[] := '{}'; v_runs boolean;
  BEGIN
    PERFORM cron_lock(p_steps, p_trigs);
    FOR i IN 1 .. cardinality(p_steps) LOOP
      v_runs := p_status[i] = 'running';
      IF EXISTS (SELECT 1 FROM cron_runs r WHERE r.step = p_steps[i] AND r.trig = p_trigs[i] AND r.scheduled_at = p_scheduled[i])
        OR (NOT p_manual[i] AND coalesce((SELECT f.last_tick >= p_scheduled[i] FROM cron_forgotten f WHERE f.step = p_steps[i] AND f.trig = p_trigs[i]
          AND f.first_tick <= p_scheduled[i] AND (p_scheduled[i] - f.first_tick) % 1000 = 0 ORDER BY f.first_tick DESC LIMIT 1), false))
      THEN v_outcomes[i] := 'taken';
      ELSIF NOT p_manual[i] AND EXISTS (SELECT 1 FROM cron_schedules s WHERE s.step = p_steps[i] AND s.trig = p_trigs[i] AND s.paused
        AND (s.paused_until IS NULL OR s.paused_until > p_scheduled[i]))
      THEN v_outcomes[i] := 'paused';
      ELSIF p_alone AND v_runs AND EXISTS (SELECT 1 FROM cron_runs r WHERE r.step = p_steps[i] AND r.trig = p_trigs[i] AND r.status = 'running')
      THEN v_outcomes[i] := 'overlaps';
      ELSE
        INSERT INTO cron_runs (id, step, trig, scheduled_at, fired_at, attempt, manual, missed, status, duration_ms, trace_id, error, holder, hand, lease_until)
          VALUES (p_ids[i], p_steps[i], p_trigs[i], p_scheduled[i], p_fired[i], p_attempts[i], p_manual[i], p_missed[i], p_status[i], p_durations[i],
            p_traces[i], p_errors[i], CASE WHEN v_runs THEN p_holder END, CASE WHEN v_runs THEN p_hand END, CASE WHEN v_runs THEN p_until END)
          ON CONFLICT DO NOTHING;
        v_outcomes[i] := CASE WHEN FOUND THEN 'claimed' ELSE 'taken' END;
        IF v_outcomes[i] = 'claimed' THEN
          IF NOT p_manual[i] THEN
            INSERT INTO cron_schedules AS s (step, trig, since, last_tick) VALUES (p_steps[i], p_trigs[i], p_scheduled[i], p_scheduled[i])
              ON CONFLICT (step, trig) DO UPDATE SET last_tick = GREATEST(s.last_tick, excluded.last_tick);
          END IF;
          PERFORM cron_forget(p_steps[i], p_trigs[i], 100, 1000);
        END IF;
      END IF;
    END LOOP;
    RETURN v_outcomes;
  END $$;`;

/**
 * Removes records that are too many, and remembers their ticks. One that somebody lets be skipped was written before its tick came: it counts
 * from then on, and its tick has a span of its own.
 */
export const CRON_FORGETTING = `
  CREATE OR REPLACE FUNCTION cron_forget(p_step text, p_trig text, p_kept integer, p_spans integer) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE v_newest bigint; v_fired bigint; v_run record; v_first bigint; v_last bigint; v_found boolean;
  BEGIN
    SELECT r.seq, r.fired_at INTO v_newest, v_fired FROM cron_runs r WHERE r.step = p_step AND r.trig = p_trig ORDER BY r.seq DESC LIMIT 1 OFFSET p_kept;
    IF NOT FOUND THEN RETURN; END IF;
    FOR v_run IN SELECT r.seq, r.scheduled_at, r.manual, r.missed, r.manual AND r.status = 'skipped' AS skipped FROM cron_runs r
      WHERE r.step = p_step AND r.trig = p_trig AND r.seq <= v_newest AND r.status <> 'running'
        AND NOT (r.manual AND r.status = 'skipped' AND r.scheduled_at > v_fired) ORDER BY r.seq LOOP
      DELETE FROM cron_runs r WHERE r.seq = v_run.seq;
      CONTINUE WHEN v_run.manual AND NOT v_run.skipped;
      SELECT f.first_tick, f.last_tick INTO v_first, v_last FROM cron_forgotten f WHERE f.step = p_step AND f.trig = p_trig
        AND f.first_tick <= v_run.scheduled_at AND (v_run.scheduled_at - f.first_tick) % 1000 = 0 ORDER BY f.first_tick DESC LIMIT 1;
      v_found := FOUND;
      CONTINUE WHEN v_found AND v_last >= v_run.scheduled_at;
      IF v_found AND NOT (v_run.missed OR v_run.skipped) THEN
        UPDATE cron_forgotten f SET last_tick = v_run.scheduled_at WHERE f.step = p_step AND f.trig = p_trig AND f.first_tick = v_first;
      ELSE
        INSERT INTO cron_forgotten VALUES (p_step, p_trig, v_run.scheduled_at, v_run.scheduled_at);
        DELETE FROM cron_forgotten f WHERE f.step = p_step AND f.trig = p_trig AND f.first_tick <= (
          SELECT g.first_tick FROM cron_forgotten g WHERE g.step = p_step AND g.trig = p_trig ORDER BY g.first_tick DESC LIMIT 1 OFFSET p_spans);
      END IF;
    END LOOP;
  END $$;`;
