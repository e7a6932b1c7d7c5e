/**
 * A deleted or expired key stays for a while as a row without value, so that its revisions go on counting; `state_floors` has the
 * highest revision of all that a group has forgotten. `due_at`: when a value expires, or when a row without value is forgotten.
 * `state_write` writes rows one after the other; `p_after`: the row before of the same key, or 0. One that goes by what the row before
 * made is not written when that was not, whatever the revision is.
 */
export const STATE_TABLES = `
  CREATE TABLE state_entries (
    grp text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, revision bigint NOT NULL, due_at bigint, value text, PRIMARY KEY (grp, key));
  CREATE INDEX state_due ON state_entries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE state_floors (grp text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL);
  CREATE TABLE state_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, grp text NOT NULL, key text NOT NULL, old_value text, new_value text, revision bigint NOT NULL, origin text);
  CREATE FUNCTION state_write(p_now bigint, p_forget bigint, p_groups text[], p_keys text[], p_after integer[], p_expected bigint[], p_live boolean[], p_values text[],
    p_due bigint[], p_keep boolean[], p_record boolean[], p_origins text[])
    RETURNS TABLE (ok boolean, live boolean, old_value text, old_revision bigint) LANGUAGE plpgsql AS $$
  DECLARE v_due bigint; v_there boolean; v_new_due bigint; v_oks boolean[] := '{}';
  BEGIN
    PERFORM 1 FROM state_entries e WHERE (e.grp, e.key) IN (SELECT * FROM unnest(p_groups, p_keys)) ORDER BY e.grp, e.key FOR UPDATE;
    FOR i IN 1 .. cardinality(p_groups) LOOP
      SELECT e.value, e.revision, e.due_at INTO old_value, old_revision, v_due FROM state_entries e WHERE e.grp = p_groups[i] AND e.key = p_keys[i] FOR UPDATE;
      v_there := FOUND;
      IF NOT v_there THEN old_revision := coalesce((SELECT f.revision FROM state_floors f WHERE f.grp = p_groups[i]), 0); END IF;
      live := old_value IS NOT NULL AND (v_due IS NULL OR v_due > p_now);
      IF NOT live THEN old_value := NULL; END IF;
      ok := (p_after[i] = 0 OR v_oks[p_after[i]]) AND (p_expected[i] IS NULL OR (p_expected[i] = old_revision AND p_live[i] = live));
      IF ok AND (p_values[i] IS NOT NULL OR live) THEN
        v_new_due := CASE WHEN p_values[i] IS NULL THEN p_forget WHEN p_keep[i] AND live THEN v_due ELSE p_due[i] END;
        IF v_there THEN
          UPDATE state_entries e SET value = p_values[i], revision = old_revision + 1, due_at = v_new_due WHERE e.grp = p_groups[i] AND e.key = p_keys[i];
        ELSE
          INSERT INTO state_entries (grp, key, value, revision, due_at) VALUES (p_groups[i], p_keys[i], p_values[i], old_revision + 1, v_new_due) ON CONFLICT DO NOTHING;
        END IF;
        ok := FOUND;
        IF ok AND p_record[i] THEN
          INSERT INTO state_changes (grp, key, old_value, new_value, revision, origin)
            VALUES (p_groups[i], p_keys[i], old_value, p_values[i], old_revision + 1, p_origins[i]);
        END IF;
      END IF;
      v_oks[i] := ok;
      RETURN NEXT;
    END LOOP;
  END $$;`;
