-- Reviews of paid calls (ADR 0437). The service writes them by functions alone, and each has the receipt of its call.

-- migrate:up

CREATE TABLE reviews (
  review_id          text PRIMARY KEY CHECK (review_id ~ '^rev_[0-9a-f]{32}$'),
  invocation_id      text NOT NULL UNIQUE REFERENCES invocation_evidence,
  agent_id           text NOT NULL REFERENCES agents,
  version            text NOT NULL,
  developer_user_id  text NOT NULL REFERENCES users,
  buyer_user_id      text NOT NULL REFERENCES users CHECK (buyer_user_id <> developer_user_id),
  unit_id            text,
  rating             smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
  body               text CHECK (length(body) BETWEEN 1 AND 1000),
  charged_units      bigint NOT NULL CHECK (charged_units > 0),
  weight             integer NOT NULL CHECK (weight BETWEEN 1 AND 100),
  created_at         timestamptz NOT NULL DEFAULT now(),
  answer             text CHECK (length(answer) BETWEEN 1 AND 1000),
  answered_at        timestamptz,
  removed_at         timestamptz,
  removed_by         text REFERENCES users,
  removal_reason     text,
  CHECK ((removed_at IS NULL) = (removal_reason IS NULL))
);
COMMENT ON TABLE reviews IS 'Reviews by buyers, one for each paid call, which has a receipt';
COMMENT ON COLUMN reviews.unit_id IS 'The buyer as figures count it (counted_unit); null once it is related to the developer, and then the review is neither counted nor shown';
COMMENT ON COLUMN reviews.weight IS 'By what was paid and by the history of the buyer, when it was written (review_weight)';
CREATE INDEX reviews_agent ON reviews (agent_id, review_id DESC) WHERE removed_at IS NULL AND unit_id IS NOT NULL;
CREATE INDEX reviews_unit ON reviews (agent_id, unit_id, review_id DESC) WHERE removed_at IS NULL;
CREATE INDEX reviews_buyer ON reviews (buyer_user_id, review_id DESC);
CREATE INDEX reviews_developer ON reviews (developer_user_id, review_id DESC);
CREATE TRIGGER reviews_guard BEFORE INSERT OR UPDATE ON reviews FOR EACH ROW EXECUTE FUNCTION review_guard();
CREATE TRIGGER reviews_counted AFTER INSERT OR UPDATE OF unit_id, removed_at ON reviews FOR EACH ROW
  EXECUTE FUNCTION review_follow();
GRANT SELECT ON reviews TO market_app;

CREATE TABLE review_buyers (
  agent_id   text NOT NULL REFERENCES agents,
  unit_id    text NOT NULL,
  review_id  text NOT NULL REFERENCES reviews,
  rating     smallint NOT NULL,
  weight     integer NOT NULL,
  PRIMARY KEY (agent_id, unit_id)
);
COMMENT ON TABLE review_buyers IS 'The newest review of each unrelated buyer of an agent, which alone counts';
GRANT SELECT ON review_buyers TO market_app;

CREATE TABLE review_sums (
  agent_id    text PRIMARY KEY REFERENCES agents,
  buyers      bigint NOT NULL,
  weight      bigint NOT NULL,
  weighted    bigint NOT NULL,
  stars       bigint[] NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE review_sums IS 'The sums of review_buyers';
COMMENT ON COLUMN review_sums.weighted IS 'The sum of rating times weight';
COMMENT ON COLUMN review_sums.stars IS 'How many buyers gave one star, two, three, four and five';
GRANT SELECT ON review_sums TO market_app;

-- migrate:down

DROP TABLE review_sums, review_buyers, reviews;
