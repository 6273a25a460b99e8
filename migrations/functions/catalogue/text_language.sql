-- The dictionary of the language in which a text is written: that whose commonest words it has most of, or that of its
-- script. English without any.
-- Called by: search_terms_of, tool_terms_of.
-- Locks: none.
CREATE OR REPLACE FUNCTION text_language(words text[]) RETURNS regdictionary LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT language::regdictionary FROM (VALUES
      ('english_stem', '{the,and,of,to,in,for,with,from,your,is,are,that,or,by,on,an,it,as,into,not}'::text[]),
      ('german_stem', '{der,die,das,und,für,mit,von,den,dem,des,ein,eine,einen,aus,auf,nicht,oder,ist,werden,bei,zum,zur,sie,im}'),
      ('french_stem', '{le,la,les,des,du,et,pour,dans,une,un,avec,sur,en,vos,votre,par,qui,ou,est,au,aux,ses}'),
      ('spanish_stem', '{el,la,los,las,de,y,para,con,una,un,del,en,por,que,su,sus,se,al,o,es}'),
      ('portuguese_stem', '{o,os,as,de,e,para,com,uma,um,do,da,dos,das,em,por,que,seu,sua,não,ou,no,na}'),
      ('italian_stem', '{il,lo,gli,di,e,per,con,una,un,del,della,dei,delle,in,che,da,nel,al,o,sono,è}'),
      ('dutch_stem', '{de,het,een,en,van,voor,met,op,te,uit,niet,of,is,uw,aan,zijn,die,dat,bij,naar}'),
      ('swedish_stem', '{och,att,för,med,av,en,ett,på,till,som,från,är,den,det,eller,din,inte,om,i}'),
      ('danish_stem', '{og,at,for,med,af,en,et,på,til,som,fra,er,den,det,eller,din,ikke,om,i}'),
      ('norwegian_stem', '{og,å,for,med,av,en,et,på,til,som,fra,er,den,det,eller,din,ikke,om,i}'),
      ('finnish_stem', '{ja,on,että,tai,sekä,kun,joka,se,ei,ovat,voi,mukaan,kanssa,myös,sen,niiden}'),
      ('hungarian_stem', '{a,az,és,egy,hogy,vagy,nem,is,meg,ez,ki,el,mint,csak,van,szerint}'),
      ('turkish_stem', '{ve,bir,için,ile,bu,da,de,olarak,veya,olan,en,gibi,daha,kadar}'),
      ('romanian_stem', '{și,de,în,la,cu,pentru,din,pe,un,o,este,sau,care,ale,prin}'),
      ('russian_stem', '{и,в,на,с,по,для,из,не,или,от,к,что,как,это,о,до}'),
      ('arabic_stem', '{في,من,على,إلى,عن,مع,أو,هذا,ما,التي}'),
      ('greek_stem', '{και,το,για,με,από,την,της,του,σε,των}')
    ) AS l (language, common)
      ORDER BY (SELECT count(*) FROM unnest(words) word WHERE word = ANY (common)) DESC, language <> 'english_stem',
               language
      LIMIT 1
  $$;
