-- What a lean peer stores for a call: its row, two postings to hold its price and three to settle it. Six rows a call, two
-- transactions. No sessions, limits, idempotency, signing, schemas, token counts, evidence or events.
CREATE TABLE keys (hash text PRIMARY KEY, buyer int NOT NULL);
CREATE TABLE wallets (buyer int PRIMARY KEY, units bigint NOT NULL CHECK (units >= 0));
CREATE TABLE calls (
  id uuid PRIMARY KEY, buyer int NOT NULL, price bigint NOT NULL, status text NOT NULL, output jsonb,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE entries (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, call_id uuid NOT NULL, account text NOT NULL, units bigint NOT NULL
);
INSERT INTO keys VALUES (encode(sha256('key'), 'hex'), 1);
INSERT INTO wallets VALUES (1, 100000000000);

-- A call that is held already is held: steps of durable engines may run twice.
CREATE FUNCTION hold(call uuid, of_buyer int, amount bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO calls (id, buyer, price, status) VALUES (call, of_buyer, amount, 'held') ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN true; END IF;
  UPDATE wallets SET units = units - amount WHERE buyer = of_buyer AND units >= amount;
  IF NOT FOUND THEN RAISE EXCEPTION 'insufficient credits'; END IF;
  INSERT INTO entries (call_id, account, units) VALUES (call, 'wallet', -amount), (call, 'escrow', amount);
  RETURN true;
END $$;

CREATE FUNCTION settle(call uuid, answer jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE amount bigint;
BEGIN
  UPDATE calls SET status = 'succeeded', output = answer WHERE id = call AND status = 'held' RETURNING price INTO amount;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO entries (call_id, account, units)
  VALUES (call, 'escrow', -amount), (call, 'payable', amount * 97 / 100), (call, 'fees', amount - amount * 97 / 100);
END $$;
