-- Replaces a batch of the texts that an account wrote: in disputes of its purchases and of its sales, in slashes, in
-- contested findings, in reviews and in answers to them, and what operators wrote about the account. `after`: '' at the begin, else what the batch before
-- returned, the list and the id behind which it goes on; null when all is done.
-- Called by: account_erase.
-- Locks: the rows that it changes.
CREATE OR REPLACE FUNCTION account_erase_texts(owner_id text, gone text, after text, most integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  lists   constant text[] := ARRAY['bought', 'sold', 'slashes', 'contests', 'reviews', 'answers', 'actions'];
  list    text := coalesce(nullif(split_part(after, ' ', 1), ''), lists[1]);
  before  text := split_part(after, ' ', 2);
  ids     text[];
BEGIN
  CASE list
  WHEN 'bought' THEN
    ids := ARRAY(SELECT d.dispute_id FROM disputes d WHERE d.buyer_user_id = owner_id AND d.dispute_id > before
                 ORDER BY d.dispute_id LIMIT most);
    DELETE FROM dispute_attachments a WHERE a.dispute_id = ANY (ids);
    UPDATE dispute_texts t SET body = gone WHERE t.dispute_id = ANY (ids) AND t.author_user_id = owner_id;
    UPDATE disputes d SET description = gone WHERE d.dispute_id = ANY (ids);
  WHEN 'sold' THEN
    ids := ARRAY(SELECT d.dispute_id FROM disputes d WHERE d.developer_user_id = owner_id AND d.dispute_id > before
                 ORDER BY d.dispute_id LIMIT most);
    UPDATE dispute_texts t SET body = gone WHERE t.dispute_id = ANY (ids) AND t.author_user_id = owner_id;
  WHEN 'slashes' THEN
    ids := ARRAY(SELECT s.slash_id FROM slashes s WHERE s.developer_user_id = owner_id AND s.slash_id > before
                 ORDER BY s.slash_id LIMIT most);
    UPDATE slash_texts t SET body = gone, evidence = NULL
     WHERE t.slash_id = ANY (ids) AND t.author_user_id = owner_id;
    UPDATE slashes s SET explanation = gone, evidence = '{}' WHERE s.slash_id = ANY (ids);
  WHEN 'contests' THEN
    ids := ARRAY(SELECT c.contest_id FROM finding_contests c WHERE c.developer_user_id = owner_id
                 AND c.contest_id > before ORDER BY c.contest_id LIMIT most);
    UPDATE finding_contests c SET statement = gone WHERE c.contest_id = ANY (ids);
  WHEN 'reviews' THEN
    ids := ARRAY(SELECT r.review_id FROM reviews r WHERE r.buyer_user_id = owner_id AND r.review_id > before
                 ORDER BY r.review_id LIMIT most);
    UPDATE reviews r SET body = NULL WHERE r.review_id = ANY (ids);
  WHEN 'answers' THEN
    ids := ARRAY(SELECT r.review_id FROM reviews r WHERE r.developer_user_id = owner_id AND r.review_id > before
                 ORDER BY r.review_id LIMIT most);
    UPDATE reviews r SET answer = NULL WHERE r.review_id = ANY (ids);
  WHEN 'actions' THEN
    ids := ARRAY(SELECT o.action_id FROM operator_actions o WHERE o.subject = owner_id AND o.action_id > before
                 ORDER BY o.action_id LIMIT most);
    UPDATE operator_actions o SET reason = gone, details = '{}' WHERE o.action_id = ANY (ids);
  END CASE;
  IF cardinality(ids) = most THEN RETURN list || ' ' || ids[most]; END IF;
  RETURN lists[array_position(lists, list) + 1];
END $$;

REVOKE ALL ON FUNCTION account_erase_texts FROM PUBLIC, market_app;
