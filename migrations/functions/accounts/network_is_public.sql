-- Whether a network of a client is one of the internet: neither of this machine nor of a private network, from which a
-- proxy or a test may log anybody in. A text that is no network is none.
-- Called by: owner_relation, owner_signs_of_login.
-- Locks: none.
CREATE OR REPLACE FUNCTION network_is_public(network text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN pg_input_is_valid(network, 'inet') THEN NOT (network::inet <<= ANY (ARRAY['10.0.0.0/8', '127.0.0.0/8',
    '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '0.0.0.0/8', '::/127', 'fc00::/7', 'fe80::/10']::inet[]))
    ELSE false END
$$;

REVOKE ALL ON FUNCTION network_is_public FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION network_is_public TO market_app;
