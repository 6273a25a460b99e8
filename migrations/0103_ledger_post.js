/**
 * The inner functions that every movement uses. They assume that the caller has locked the accounts it takes money
 * from, in id order (`ledger_lock`), and run in the caller's transaction. Nobody but the owner may call them.
 */
exports.up = (knex) =>
  knex.raw(`
  -- One row per item of a call, in input order. outcome says what happened; transaction_id is the transaction of that
  -- outcome (also on already_…; NULL when no money moved); amount_units what was held, charged, returned or paid;
  -- wallet_units the payer's wallet afterwards (NULL when this call moved nothing).
  CREATE TYPE ledger_result AS (
    ordinality      integer,
    outcome         text,
    transaction_id  text,
    amount_units    bigint,
    wallet_units    bigint
  );

  -- Locks accounts in id order; every function locks all it needs by one call of this.
  CREATE FUNCTION ledger_lock(account_ids bigint[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM accounts a WHERE a.account_id = ANY (ledger_lock.account_ids)
      ORDER BY a.account_id FOR NO KEY UPDATE;
  END $$;

  CREATE FUNCTION ledger_account(owner_user_id text, account_kind text) RETURNS bigint
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE found_id bigint;
  BEGIN
    SELECT a.account_id INTO found_id FROM accounts a WHERE a.user_id = owner_user_id AND a.kind = account_kind;
    IF found_id IS NULL THEN
      RAISE EXCEPTION 'no % account of user %', account_kind, owner_user_id USING ERRCODE = '23503';
    END IF;
    RETURN found_id;
  END $$;

  -- Writes one transaction with its entries and moves the balances. Credits of hot accounts wait in pending_rollups;
  -- their debits (fees, payable) are taken at once, from an account that the caller has locked and rolled up.
  CREATE FUNCTION ledger_post(
    kind text, reference text, invocation_id text, agent_id text, description text, trace_id text,
    account_ids bigint[], entry_types text[], amounts bigint[]
  ) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE new_transaction_id text := ledger_new_id('txn');
  BEGIN
    INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, trace_id)
    VALUES (new_transaction_id, ledger_post.kind, ledger_post.reference, ledger_post.invocation_id,
            ledger_post.agent_id, ledger_post.description, ledger_post.trace_id);
    WITH line AS (
      SELECT l.line, l.account_id, l.entry_type, l.amount,
             sum(l.amount) OVER so_far AS sum_so_far, count(*) OVER so_far AS nth
      FROM ROWS FROM (unnest(account_ids), unnest(entry_types), unnest(amounts))
        WITH ORDINALITY AS l(account_id, entry_type, amount, line)
      WINDOW so_far AS (PARTITION BY l.account_id ORDER BY l.line)
    ), total AS (
      SELECT line.account_id, sum(line.amount)::bigint AS amount, count(*) AS entries FROM line GROUP BY line.account_id
    ), moved AS (
      UPDATE accounts a
      SET balance_units = a.balance_units + t.amount, version = a.version + t.entries, updated_at = now()
      FROM total t
      WHERE a.account_id = t.account_id AND (NOT a.hot OR (t.amount < 0 AND a.kind IN ('fees', 'payable')))
      RETURNING a.account_id, a.hot, a.balance_units - t.amount AS before_units, a.version - t.entries AS before_version
    ), waiting AS (
      INSERT INTO pending_rollups (account_id, amount_units)
      SELECT t.account_id, t.amount FROM total t
      WHERE t.amount <> 0 AND NOT EXISTS (SELECT FROM moved m WHERE m.account_id = t.account_id)
    )
    INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                         balance_before_units, balance_after_units, account_version)
    SELECT new_transaction_id, line.line, line.account_id, line.entry_type, line.amount,
           m.before_units + line.sum_so_far - line.amount, m.before_units + line.sum_so_far, m.before_version + line.nth
    FROM line LEFT JOIN moved m ON m.account_id = line.account_id AND NOT m.hot
    ORDER BY line.line;
    RETURN new_transaction_id;
  END $$;

  REVOKE ALL ON FUNCTION ledger_lock, ledger_account, ledger_post FROM PUBLIC;
`);

exports.down = (knex) =>
  knex.raw('DROP FUNCTION ledger_post, ledger_account, ledger_lock; DROP TYPE ledger_result;');
