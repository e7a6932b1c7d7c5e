/**
 * `stream_groups`: how far each group has come; its row is locked by whoever writes to the group, so `seq` has no gap and events are committed in
 * its order. `floor`: no deleted item had a higher revision. `last_at`: time of the last event. `stream_events`: the last events of each group,
 * also of those that are not stored otherwise. `stream_write` writes rows one after the other, those of a group together; `p_after`: the row
 * before of the same item, or 0; one that goes by what the row before made is not written when that was not.
 * Actions: 0 set, 1 delete, 2 an event that is not stored.
 */
export const STREAM_TABLES = `
  CREATE TABLE stream_store (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), epoch text NOT NULL);
  INSERT INTO stream_store (epoch) VALUES (md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text));
  CREATE TABLE stream_groups (
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE, stream text COLLATE "C" NOT NULL, grp text COLLATE "C" NOT NULL, seq bigint NOT NULL DEFAULT 0,
    floor bigint NOT NULL DEFAULT 0, last_at bigint NOT NULL DEFAULT 0, PRIMARY KEY (stream, grp)) WITH (fillfactor = 50);
  CREATE SEQUENCE stream_order;
  CREATE TABLE stream_items (
    stream text COLLATE "C" NOT NULL, grp text COLLATE "C" NOT NULL, item text COLLATE "C" NOT NULL, ord bigint NOT NULL, revision bigint NOT NULL,
    value text NOT NULL, PRIMARY KEY (stream, grp, item));
  CREATE INDEX stream_items_order ON stream_items (stream, grp, ord);
  CREATE TABLE stream_events (
    number bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, kind text NOT NULL, type text, item text, data text NOT NULL, PRIMARY KEY (number, seq));
  CREATE INDEX stream_events_at ON stream_events (at);
  CREATE TABLE stream_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream text NOT NULL, grp text NOT NULL, item text NOT NULL, kind text NOT NULL, data text NOT NULL,
    origin text NOT NULL);
  CREATE FUNCTION stream_write(p_now bigint, p_kept integer, p_streams text[], p_groups text[], p_items text[], p_actions integer[], p_after integer[],
    p_expected bigint[], p_live boolean[], p_values text[], p_types text[], p_origins text[])
    RETURNS TABLE (ok boolean, number bigint, seq bigint, at bigint, kind text, old_value text, old_revision bigint) LANGUAGE plpgsql AS $$
  DECLARE v_live boolean; v_group record; v_seq bigint; v_floor bigint; v_at bigint; v_oks boolean[] := '{}'; v_data text;
  BEGIN
    INSERT INTO stream_groups (stream, grp) SELECT DISTINCT g.stream, g.grp FROM unnest(p_streams, p_groups) AS g (stream, grp)
      WHERE NOT EXISTS (SELECT 1 FROM stream_groups k WHERE k.stream = g.stream AND k.grp = g.grp) ORDER BY g.stream, g.grp ON CONFLICT DO NOTHING;
    PERFORM 1 FROM stream_groups g WHERE (g.stream, g.grp) IN (SELECT * FROM unnest(p_streams, p_groups)) ORDER BY g.stream, g.grp FOR UPDATE;
    FOR i IN 1 .. cardinality(p_streams) LOOP
      IF i = 1 OR p_streams[i] <> p_streams[i - 1] OR p_groups[i] <> p_groups[i - 1] THEN
        SELECT g.number, g.seq, g.floor, g.last_at INTO v_group FROM stream_groups g WHERE g.stream = p_streams[i] AND g.grp = p_groups[i];
        v_seq := v_group.seq; v_floor := v_group.floor; v_at := v_group.last_at;
      END IF;
      number := v_group.number; kind := NULL; old_value := NULL; old_revision := 0; ok := true; v_data := p_values[i];
      IF p_actions[i] = 2 THEN
        kind := 'event';
      ELSE
        SELECT t.value, t.revision INTO old_value, old_revision FROM stream_items t WHERE t.stream = p_streams[i] AND t.grp = p_groups[i] AND t.item = p_items[i];
        v_live := FOUND;
        IF NOT v_live THEN old_revision := v_floor; END IF;
        ok := (p_after[i] = 0 OR v_oks[p_after[i]]) AND p_expected[i] = old_revision AND p_live[i] = v_live;
        IF ok AND p_actions[i] = 0 THEN
          kind := CASE WHEN v_live THEN 'update' ELSE 'create' END;
          INSERT INTO stream_items AS t (stream, grp, item, ord, revision, value)
            VALUES (p_streams[i], p_groups[i], p_items[i], nextval('stream_order'), old_revision + 1, p_values[i])
            ON CONFLICT (stream, grp, item) DO UPDATE SET revision = excluded.revision, value = excluded.value;
        ELSIF ok AND v_live THEN
          kind := 'delete'; v_data := old_value; v_floor := GREATEST(v_floor, old_revision + 1);
          DELETE FROM stream_items t WHERE t.stream = p_streams[i] AND t.grp = p_groups[i] AND t.item = p_items[i];
        END IF;
      END IF;
      v_oks[i] := ok;
      IF kind IS NOT NULL THEN
        v_seq := v_seq + 1; v_at := GREATEST(p_now, v_at + 1);
        INSERT INTO stream_events VALUES (number, v_seq, v_at, kind, p_types[i], p_items[i], v_data);
        IF v_seq % 100 = 0 THEN DELETE FROM stream_events e WHERE e.number = v_group.number AND e.seq <= v_seq - p_kept; END IF;
        IF p_origins[i] IS NOT NULL THEN
          INSERT INTO stream_changes (stream, grp, item, kind, data, origin) VALUES (p_streams[i], p_groups[i], p_items[i], kind, v_data, p_origins[i]);
        END IF;
      END IF;
      seq := v_seq; at := v_at;
      RETURN NEXT;
      IF (i = cardinality(p_streams) OR p_streams[i] <> p_streams[i + 1] OR p_groups[i] <> p_groups[i + 1]) AND v_seq > v_group.seq THEN
        UPDATE stream_groups g SET seq = v_seq, floor = v_floor, last_at = v_at WHERE g.number = v_group.number;
      END IF;
    END LOOP;
  END $$;`;

/** What `seq` belongs to: a replica that takes over may lack the last events, and gives their numbers again. Some services do not tell the timeline. */
export const STREAM_EPOCH = `
  CREATE OR REPLACE FUNCTION stream_epoch() RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (SELECT epoch || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM stream_store);
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function THEN
    RETURN (SELECT epoch FROM stream_store);
  END $$;`;
