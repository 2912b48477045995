CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO item SELECT i, printf('item %05d', i * 7919 % 5000), i * 0.25 FROM n;
CREATE INDEX by_name ON item(name);
SELECT count(*), sum(price), min(name), max(name) FROM item;
SELECT name, price FROM item WHERE name LIKE 'item 04%' ORDER BY price DESC LIMIT 10;
SELECT substr(name, 6, 2) AS head, group_concat(id) FROM item WHERE id < 200 GROUP BY head ORDER BY head;
UPDATE item SET name = upper(name) WHERE id % 3 = 0;
DELETE FROM item WHERE id % 5 = 0;
SELECT a.name, b.name FROM item a JOIN item b ON b.id = a.id + 1 WHERE a.id < 30;
VACUUM;
PRAGMA integrity_check;
