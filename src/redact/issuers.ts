import {
  hasContrast,
  isHash,
  isJumbled,
  lineBefore,
  looksLikeWords,
  looksRandom,
} from "./checks/randomness.ts";
import { isNoValue, isReference } from "./checks/values.ts";
import type { Span } from "./patterns/rule.ts";

/**
 * Services whose keys have no shape of their own: only the name before one tells. A dot is a gap that some write and some do
 * not: "new.relic" is "newrelic", "new-relic", "new_relic" and "new relic". Names that are also words, such as "linear" and
 * "render", are left out. Many are from the rules of gitleaks (https://github.com/gitleaks/gitleaks, MIT License, copyright
 * Zachary Rice) and kingfisher (https://github.com/mongodb/kingfisher, Apache License 2.0).
 */
const names =
  "abstractapi abuseipdb accuweather activecampaign adafruit adafruitio adobe adyen agora airbrake airtable aiven " +
  "alchemy algolia alibaba aliyun alphavantage amadeus amplitude anthropic anypoint anyscale apifonica apify " +
  "apilayer apimetrics apitemplate apollographql appfollow appointedd appoptics appsflyer appsignal appsynergy " +
  "appveyor artifactory asana assemblyai atera atlassian audd auth0 authy autoklose autopilot avaza aviationstack " +
  "axiom axonaut ayrshare azure azuredevops azureopenai azuresearchquery azurestorage backblaze baidu bamboohr " +
  "bannerbear baremetrics baseten beamer beebole beehiiv besnappy besttime betterstack bigcommerce bigpanda binance " +
  "bingmaps bitbar bitbucket bitcoinaverage bitfinex bitly bitrise bittrex blazemeter blitapp blockcypher " +
  "blockfrost blocknative bluesky blynk bombbomb boostnote borgbase braintree brandfetch brevo brightdata " +
  "browserless browserstack browshot bscscan buddyns budibase bugherd bugsnag buildkite buttercms buttondown bybit " +
  "bytescale caflou calendarific calendly calorieninja campaignmonitor campayn cannyio canva capsulecrm " +
  "carboninterface cartodb centralstationcrm cerebras chargebee chartmogul chatfule checkly checklyhq checkout.com " +
  "circleci clarifai clearbit clickup cliengo clockify cloudconvert cloudflare cloudimage cloudinary cloudmersive " +
  "cloudplan cloudsight cloudsmith cloverly clustdoc cockroachdb codacy codeclimate codecov codemagic codequiry " +
  "cohere coinapi coinbase coingecko coinlayer coinlib coinmarketcap collect2 commercejs confluence confluent " +
  "contentful contentstack conversiontools convertkit countrylayer coveralls craftmypdf crates.io crowdin " +
  "crowdstrike cryptocompare currencyfreaks currencylayer currencyscoop customerio cypress d7network dailyco " +
  "dareboost darksky databox databricks datadog datagov datarobot datastax debounce deepai deepgram deepinfra deepl " +
  "deepseek deribit detectify detectlanguage deutschebahn dfuse dialogflow diffbot diggernaut digicert digitalocean " +
  "discogs discord discourse disqus docparser documo docusign doordash doppler drata dribbble dronahq droneci " +
  "dropbox duffel dwolla dynalist dynatrace dyspatch eagleeyenetworks easypost ecostruxureit edamam edenai " +
  "elasticcloud elasticemail elasticsearch eleven.labs elevenlabs emailoctopus eodhd esri etherscan ethplorer etsy " +
  "eventbrite eventful everhour exchangerate exchangerates facebook fastforex fastly fastspring fedex feedier " +
  "fetchrss figma fileio finage financialmodelingprep findl finicity finnhub firebase firecrawl fivetran fixerio " +
  "fleetbase flexport flickr flightaware flightlabs flutterwave formbucket formcraft foursquare frameio freshbooks " +
  "freshdesk freshservice fullcontact fullstory fxmarket geckoboard geoapify geocodify geocodio geoipifi getemail " +
  "getgeo getgist getresponse giphy gitea gitguardian gitter gladia glassnode gnews gocardless godaddy goodreads " +
  "gotify grafana graphcms graphhopper greenhouse groovehq groq gtmetrix gumroad gyazo hackerone happyscribe " +
  "hcaptcha helicone hellosign helpcrunch helpscout heroku herotel hetzner hiveage honeybadger honeycomb hootsuite " +
  "hotjar html2pdf hubspot hugging.face huggingface hunterio hybiscus hygraph hyperbrowser ibmcloud iconfinder " +
  "iexapis iexcloud imagekit imgbb imgur impala infobip infura inoreader insightly instagram instapaper instatus " +
  "intercom interseller intrinio ip2location ipapi ipdata ipgeolocation ipinfo ipinfodb ipquality ipstack iterable " +
  "jenkins jfrog jira jotform jsonbin jumpcloud jupiterone jwplayer kagi karmacrm keen kickbox klarna klaviyo " +
  "klipfolio knapsackpro kontent kucoin kustomer kylas lambdalabs langfuse langsmith languagelayer lastfm " +
  "launchdarkly leadfeeder lemlist lemonsqueezy lendflow leonardoai lessannoyingcrm letsencrypt lexigram linenotify " +
  "linkedin linkpreview linode liveblocks livekit livestorm locationiq logdna logflare loggly loginradius logrocket " +
  "logtail logzio lokalise looker loyverse lunchmoney madkudu mailboxlayer mailchimp mailerlite mailersend mailgun " +
  "mailjet mailjetbasicauth mailjetsms mailmodo mailsac mailtrap mandrill mapbox mapquest maptiler marketo " +
  "marketstack mattermost mavenlink maxmind mediastack meistertask memfault meraki mercadopago mesibo messagebird " +
  "metrilo microsoftteams midtrans mindmeister mistral mixmax mixpanel mockaroo mollie mongoatlas monkeylearn " +
  "moonclerk moosend moralis motherduck myfitnesspal myintervals namecheap nasdaqdatalink naver netlify new.relic " +
  "newrelic newsapi newscatcher nftport ngrok nicereply nightfall nomics noticeable notion novu nozbeteams " +
  "numverify nvidia nylas nytimes oanda octopusdeploy okta omnisend onelogin onesignal oneuptime onfleet oopspam " +
  "open.weather openai openaip opencage opencagedata openexchangerates openrouter opensea opensky openuv " +
  "openweather openweathermap opsgenie optimizely overloop owlbot packagecloud pagarme pager.duty pagerduty " +
  "pagseguro pandadoc pandascore paperform paperspace paralleldots parseapp parseur particle.io partnerstack paseto " +
  "pastebin paydirtapp paylocity paymoapp paymongo payoneer paypal paystack payu pdflayer pdfshift peopledatalabs " +
  "pepipost perplexity petfinder pexels pinata pinecone pingdom pinterest pipedream pipedrive pivotaltracker " +
  "pixabay plaid planetscale planyo plausible playht plivo polygonio positionstack postageapp posthog postman " +
  "postmark power.bi powerbi powrbot prefect privateai prodpad prospectcrm proxycrawl pubnub pulumi pushbullet " +
  "pusher pushover qase qiniu qualaroo qualtrics quandl qubole quickbase quickbooks quicknode quotaguard rabbitmq " +
  "rapid.api rapidapi rawg raygun razorpay reachmail reallysimplesystems rebrandly recaptcha recurly reddit replit " +
  "replyio requestfinance restpack restpackhtmltopdf restpackscreenshot retool rev.ai revenuecat ringcentral " +
  "ritekit roboflow rocketreach rockset rollbar rootly route4me runpod sailpoint salesblink salescookie salesflare " +
  "salesforce salesloft samsara saucelabs scaleway scrapeowl scraperapi scraperbox scrapestack scrapfly scrapingant " +
  "scrapingbee screenshotlayer scrutinizerci seatgeek securitytrails selectpdf semrush sendbird sendgrid sendinblue " +
  "sendpulse sentry serpapi serper serphouse serpstack servicenow sherpadesk shipday shippo shipstation shodan " +
  "shopee shopify shotstack shutterstock sidekiq signalwire signaturit signnow signupgenius sigopt simfin simplefin " +
  "simplesat simplynoted simvoly sinch skrappio skyscanner slack smartsheet smartsheets smartthings snipcart " +
  "snowflake snyk solarwinds sonar sonarcloud sonarqube soundcloud sourcegraph spacelift sparkpost speechtextai " +
  "splitio splunk spoonacular sportsmonk spotify squarespace sslmate stabilityai stackhawk statuscake statuspage " +
  "statuspal stitchdata stockdata storecove stormboard stormglass storyblok storychief strava stripe stripo stytch " +
  "sumologic supabase supernotes surveybot surveymonkey surveysparrow survicate svix swiftype tailscale tallyfy " +
  "tatumio tavily taxjar teamcity teamworkcrm teamworkdesk teamworkspaces technicalanalysis tefter telegram " +
  "teletype telnyx tencent terraformcloud testrail theodds thingsboard thingspeak threadfin ticketmaster " +
  "tickettailor tidbyt tiingo tiktok timecamp timescale tines tinify tinybird tinypng tmetric todoist togetherai " +
  "toggl toggltrack tomtom tradier transferwise transifex travelpayouts travisci trello trigger.dev truenas turso " +
  "twelvedata twilio twitch twitter tyntec typeform typless ubidots uclassify unkey unplugg unsplash upcdatabase " +
  "upcloud updown uplead uploadcare upstash uptimerobot uptrace upwave urlscan userback userflow userlike userstack " +
  "vagrantcloud valetudo vatlayer vbout vercel verimail veriphone versioneye viewneo vimeo virustotal " +
  "visualcrossing voiceflow voicegain vonage voodoosms voyageai vultr vyte wakatime walkscore wandb weatherapi " +
  "weatherbit weatherstack web3storage webflow webscraper webscraping weightsandbiases wepay whoisxml whoxy wistia " +
  "wolfram wolframalpha woocommerce wordpress workday workos worksnaps workstack worldcoinindex worldtides " +
  "worldweather wrike xata xendit xero yandex yelp youneedabudget yousign zapier zendesk zenhub zenkit zenrows " +
  "zenscrape zeplin zerobounce zerotier zipcodebase zoho zohocrm zonkafeedback zoominfo zscaler zuora";

export const issuers: readonly string[] = names
  .split(" ")
  .flatMap((name) =>
    name.includes(".") ? ["", "-", "_", " "].map((gap) => name.replace(".", gap)) : [name],
  );

/** A key is at most so far behind the name of its issuer. Characters. */
const reach = 64;
const token = /[A-Za-z0-9][A-Za-z0-9_.+/=~-]{11,400}/y;
/** A name and its sign in front of the value: `KEY=` of `ANTHROPIC_API_KEY=...` is no part of the key. */
const nameBefore = /^[A-Za-z_]{1,40}=[^=]/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const credential = /key|token|secret|pass|pwd|auth|bearer|credential|private|access|\bpat\b|api[^a-z]*$/i;
/** A name that ends at a sign which gives it a value. */
const assigned =
  /^[\w.-]*\\?["'`]?\]?[ \t]{0,4}(?::{1,3}=|[?]=|=>|[:=]|,)[ \t]{0,4}\\?["'`]?$|^[\w.-]*[ \t]\\?["'`]$/;
/** What is no key of that issuer: names of things, places, versions and digests. */
const other =
  /sha|commit|rev|hash|digest|version|\bref|release|build|url|host|path|integrity|checksum|public|publishable|fingerprint|cursor|nonce|trace|span|event|request|session|signature|(?:^|[^a-z])ids?[^a-z]*$|Id[^a-z]*$|[/\\@<>{}()]/;

/** The key behind the name of the service that issued it, on its line or on the next one, and where to go on. */
export function issuedKey(text: string, start: number): { spans: Span[]; searched: number } {
  const none = { spans: [], searched: start };
  // "reanimated" is no issuer, and neither is a part of a path or an address.
  if (/[A-Za-z/@]/.test(text[start - 1] ?? "") && !/[a-z][A-Z]/.test(text.slice(start - 1, start + 1)))
    return none;
  for (let at = start; at < start + reach && at < text.length; at++) {
    if (!/[A-Za-z0-9]/.test(text[at]!)) continue;
    token.lastIndex = at;
    const value = token.exec(text)?.[0].replace(/[.=]*$/, (signs) => signs.replace(/\./g, "")) ?? "";
    if (
      value === "" ||
      nameBefore.test(value) ||
      !isKey(text.slice(start, at), value, text[at + value.length] ?? "")
    ) {
      while (/[A-Za-z0-9]/.test(text[at] ?? "")) at++;
      if ((text.slice(start, at).match(/\n/g)?.length ?? 0) > 1) return none;
      continue;
    }
    if (other.test(lineBefore(text, start, 40).replace(/^.*[\s,;]/, ""))) return none;
    const end = at + value.length;
    return { spans: [{ start: at, end, next: end }], searched: end };
  }
  return none;
}

/** @param between the issuer's name, and what stands between it and the value */
function isKey(between: string, value: string, after: string): boolean {
  if (other.test(between) || /[([{<$\\/@]/.test(after) || isNoValue(value) || isReference(value))
    return false;
  const isNamed = credential.test(between);
  const isAssigned = assigned.test(between);
  if (!isNamed && !isAssigned) return false;
  if (uuid.test(value)) return isAssigned;
  if (isHash(value)) return isNamed || isAssigned;
  const plain = value.replace(/[^A-Za-z0-9]/g, "");
  if (plain.length < 16 || looksLikeWords(value)) return false;
  // Said to be its key, right before it: then it need not be well mixed.
  if (isNamed && isAssigned && /[0-9]/.test(plain) && looksRandom(plain)) return true;
  return looksRandom(plain) && (hasContrast(plain) || isJumbled(plain));
}
